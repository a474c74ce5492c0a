-- Schedules of one queue. After common and add-task.
-- KEYS  the keys of the queue
-- ARGV  put, id, first slot or 'now', replace (1 or 0), job US rule
--       remove, id
--       due, most
--       advance, id, slot, next slot or '', then, where the slot makes a task, its id, head, rest
-- reply put: stored, existing or replaced. remove: 1 or 0. advance: lost, or advanced and what add_one answers.
--       due: now, the next slot beyond those given or 'inf', then per schedule id, slot, last slot or '', job US rule
-- schedules[id] holds slot|last slot|job US rule; slots orders the ids by slot.

local q = queue_at(1)
local slots = q.slots

local function read(id)
  local text = redis.call('HGET', q.schedules, id)
  if not text then return nil end
  local slot, last, rest = string.match(text, '^([^|]*)|([^|]*)|(.*)$')
  return { slot = slot, last = last, rest = rest }
end

local function write(id, slot, last, rest)
  redis.call('HSET', q.schedules, id, slot .. '|' .. last .. '|' .. rest)
  redis.call('ZADD', slots, slot, id)
end

if ARGV[1] == 'put' then
  local existing = read(ARGV[2])
  if existing and ARGV[4] ~= '1' then return 'existing' end
  write(ARGV[2], ARGV[3] == 'now' and int(now) or ARGV[3], existing and existing.last or '', ARGV[5])
  return existing and 'replaced' or 'stored'
end

if ARGV[1] == 'remove' then
  redis.call('ZREM', slots, ARGV[2])
  return redis.call('HDEL', q.schedules, ARGV[2])
end

if ARGV[1] == 'due' then
  local most = tonumber(ARGV[2])
  local due = redis.call('ZRANGEBYSCORE', slots, '-inf', int(now), 'LIMIT', 0, most)
  local beyond = redis.call('ZRANGE', slots, #due, #due, 'WITHSCORES')[2]
  local reply = { int(now), beyond and int(tonumber(beyond)) or 'inf' }
  for i = 1, #due do
    local schedule = read(due[i])
    reply[#reply + 1] = due[i]
    reply[#reply + 1] = schedule.slot
    reply[#reply + 1] = schedule.last
    reply[#reply + 1] = schedule.rest
  end
  return reply
end

local schedule = read(ARGV[2])
if not schedule or schedule.slot ~= ARGV[3] then return { 'lost' } end
if ARGV[4] == '' then
  redis.call('ZREM', slots, ARGV[2])
  redis.call('HDEL', q.schedules, ARGV[2])
else
  write(ARGV[2], ARGV[4], ARGV[3], schedule.rest)
end
if not ARGV[5] then return { 'advanced' } end
local letter, other = add_one(q, ARGV[5], ARGV[6], ARGV[7])
ring_if_first(q, q.added or 0, q.earliest_due)
return { 'advanced', letter, other or '' }
