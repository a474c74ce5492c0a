-- The short way to store plain tasks with fresh ids, in one queue. It stands alone and has few keys and arguments: for a
-- single task those would cost more than the work itself.
-- KEYS  waiting, tasks, meta, the memory of the caller's line
-- ARGV  the call's number in its line, the milliseconds for which it is remembered, then per task id, rest
-- reply the tasks whose id is taken, counted from 1, each followed by a comma: they are left to the long way

local CHUNK = 500
local number = tonumber(ARGV[1])
local before = redis.call('SET', KEYS[4], ARGV[1] .. ',', 'PX', ARGV[2], 'GET')
if before then
  local latest, answer = string.match(before, '^(%d+),(.*)$')
  if tonumber(latest) >= number then
    -- A repeat, or a first try that was overtaken by its repeat and is awaited by nobody.
    redis.call('SET', KEYS[4], before, 'PX', ARGV[2])
    return tonumber(latest) == number and answer or ''
  end
end
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
-- Priority 0, then the due time.
local score = string.format('%.0f', 1000 * 4398046511104 + now)
local count, added, odd = (#ARGV - 2) / 2, 0, ''
local arrival = redis.call('HINCRBY', KEYS[3], 'arrival', count) - count
for from = 0, count - 1, CHUNK do
  local ids, values, entries, n = {}, {}, {}, 0
  local to = math.min(from + CHUNK, count)
  for i = from + 1, to do ids[i - from] = ARGV[i * 2 + 1] end
  local existing, seen = redis.call('HMGET', KEYS[2], unpack(ids)), {}
  for i = from + 1, to do
    local id = ids[i - from]
    if existing[i - from] or seen[id] then
      odd = odd .. i .. ','
    else
      seen[id] = true
      local prefix = string.format('%010x', arrival + i)
      values[n + 1], values[n + 2] = id, 'P|' .. prefix .. '|' .. now .. '||' .. ARGV[i * 2 + 2]
      entries[n + 1], entries[n + 2] = score, prefix .. ':' .. id
      n = n + 2
    end
  end
  if n > 0 then
    redis.call('HSET', KEYS[2], unpack(values))
    redis.call('ZADD', KEYS[1], unpack(entries))
    added = added + n / 2
  end
end
if odd ~= '' then redis.call('SET', KEYS[4], ARGV[1] .. ',' .. odd, 'PX', ARGV[2]) end
-- Where more is waiting already, runners have been told and will look again by themselves.
if added > 0 and redis.call('ZCARD', KEYS[1]) <= added then
  redis.call('PUBLISH', string.sub(KEYS[1], 1, -8) .. 'bell', '')
end
return odd
