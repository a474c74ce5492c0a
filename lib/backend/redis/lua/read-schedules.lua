-- Reads schedules of one queue. After schedule.
-- KEYS  the keys of the queue
-- ARGV  get, id | list, limit, the id after which to go on or ''
-- reply per schedule id, head, lastTask, job, rule, template;
--       the head is slot|firstSlot|lastSlot|fired|skipped|isPaused|declaredAt|version

local q, reply = queue_at(1), {}

if ARGV[1] == 'get' then
  local text = redis.call('HGET', q.schedules, ARGV[2])
  if text then tell_schedule(reply, ARGV[2], text) end
  return reply
end

local from = 0
if ARGV[3] ~= '' then
  local rank = redis.call('ZRANK', q.slots, ARGV[3])
  -- One that is gone cannot say where to go on; better an end than a second beginning.
  if not rank then return reply end
  from = rank + 1
end
local ids = redis.call('ZRANGE', q.slots, from, from + tonumber(ARGV[2]) - 1)
local texts = read_all(q.schedules, ids)
for i = 1, #ids do
  if texts[i] then tell_schedule(reply, ids[i], texts[i]) end
end
return reply
