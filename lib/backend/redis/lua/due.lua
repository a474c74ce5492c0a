-- Finds the schedules whose time to be looked at has come, the first ones of all queues. An idle runner asks it at each
-- sweep: it has few keys, and one call for a queue without schedules. After schedule.
-- KEYS  per queue: runs, schedules, slots
-- ARGV  per queue: how many of its first ones to leave out
-- reply now, the milliseconds until there may be others ('inf': only a bell can tell), then per schedule the number of its
--       queue (0 the first), the time at which to look at it, id, head, lastTask, job, rule, template

local MOST, BYTES = 1000, 1000000
local next_at, found, queues_found = math.huge, {}, 0

local function time_of(text)
  return text == 'inf' and math.huge or tonumber(text)
end

local function paused_until(runs)
  return time_of(string.match(redis.call('HGET', runs, '') or '', '|(.*)$')) or 0
end

-- Notes the due ones of a queue; answers when there are others.
local function look(index, slots)
  local due = redis.call('ZRANGEBYSCORE', slots, '-inf', int(now), 'WITHSCORES', 'LIMIT', ARGV[index + 1], MOST + 1)
  local count = math.min(#due / 2, MOST)
  for i = 1, count do
    found[#found + 1] = { place = #found, index = index, id = due[i * 2 - 1], look_at = tonumber(due[i * 2]) }
  end
  if count > 0 then queues_found = queues_found + 1 end
  if #due / 2 > MOST then return now end
  return time_of(redis.call('ZRANGEBYSCORE', slots, '(' .. int(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]) or math.huge
end

for index = 0, #ARGV - 1 do
  local slots = KEYS[index * 3 + 3]
  local first = redis.call('ZRANGE', slots, 0, 0, 'WITHSCORES')[2]
  if first then
    local opens_at = math.max(time_of(first), paused_until(KEYS[index * 3 + 1]))
    next_at = math.min(next_at, opens_at > now and opens_at or look(index, slots))
  end
end

-- Each queue's own order is kept: who asks for the ones behind these says how many of the queue they were.
if queues_found > 1 then
  table.sort(found, function(a, b)
    if a.look_at ~= b.look_at then return a.look_at < b.look_at end
    return a.place < b.place
  end)
end
if #found > MOST then next_at = now end

local reply, bytes = { int(now), '' }, 0
for i = 1, math.min(#found, MOST) do
  local index, id = found[i].index, found[i].id
  local q = { schedules = KEYS[index * 3 + 2], slots = KEYS[index * 3 + 3] }
  -- What is large is told in several answers: others wait while this one is written.
  if bytes > BYTES then
    next_at = now
    break
  end
  local text = redis.call('HGET', q.schedules, id)
  if text then
    reply[#reply + 1] = index
    reply[#reply + 1] = int(found[i].look_at)
    tell_schedule(reply, id, text)
    bytes = bytes + #text
  else
    remove_schedule(q, id)
  end
end
reply[2] = next_at == math.huge and 'inf' or int(math.max(next_at - now, 0))
return reply
