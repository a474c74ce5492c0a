-- Finds the schedules whose time to be looked at has come, the first ones of all queues, and takes away those that nobody
-- declares any more. An idle runner asks it at each sweep: it has few keys, and one call for a queue without schedules.
-- After schedule.
-- KEYS  per queue: runs, schedules, slots
-- ARGV  after how many milliseconds a declared schedule is forgotten, or 'inf'
-- reply now, the milliseconds until there may be others ('inf': only a bell can tell), then per schedule the number of its
--       queue (0 the first), id, head, lastTask, job, rule, template

local MOST, BYTES = 1000, 1000000
local next_at, found = math.huge, {}

local function time_of(text)
  return text == 'inf' and math.huge or tonumber(text)
end

local function paused_until(runs)
  return time_of(string.match(redis.call('HGET', runs, '') or '', '|(.*)$')) or 0
end

local forget_before = now - time_of(ARGV[1])

for index = 0, math.floor(#KEYS / 3) - 1 do
  local slots = KEYS[index * 3 + 3]
  local first = redis.call('ZRANGE', slots, 0, 0, 'WITHSCORES')[2]
  if first then
    local opens_at = math.max(time_of(first), paused_until(KEYS[index * 3 + 1]))
    if opens_at > now then
      next_at = math.min(next_at, opens_at)
    else
      local due = redis.call('ZRANGEBYSCORE', slots, '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, MOST)
      for i = 1, #due, 2 do found[#found + 1] = { index = index, id = due[i], look_at = tonumber(due[i + 1]) } end
      local beyond = redis.call('ZRANGE', slots, #due / 2, #due / 2, 'WITHSCORES')[2]
      next_at = math.min(next_at, time_of(beyond) or math.huge)
    end
  end
end

if #found > MOST then
  table.sort(found, function(a, b) return a.look_at < b.look_at end)
  for i = #found, MOST + 1, -1 do found[i] = nil end
  next_at = now
end

local reply, bytes = { int(now), '' }, 0
for i = 1, #found do
  local index, id = found[i].index, found[i].id
  local q = { schedules = KEYS[index * 3 + 2], slots = KEYS[index * 3 + 3] }
  -- What is large is told in several answers: others wait while this one is written.
  if bytes > BYTES then
    next_at = now
    break
  end
  local text = redis.call('HGET', q.schedules, id)
  local declared_at = tonumber(text and string.match(text, '^[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|(%d+)|'))
  if not text or declared_at and declared_at <= forget_before then
    remove_schedule(q, id)
  else
    reply[#reply + 1] = index
    tell_schedule(reply, id, text)
    bytes = bytes + #text
  end
end
reply[2] = next_at == math.huge and 'inf' or int(math.max(next_at - now, 0))
return reply
