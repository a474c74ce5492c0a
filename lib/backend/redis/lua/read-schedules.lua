-- Reads schedules of one queue. After schedule and place.
-- KEYS  the keys of the queue
-- ARGV  get, id | list, limit, score, id: the place at which to go on, or '' and ''
-- reply list: the place at which there is more, or '' and ''; what is large is told in several answers. Then, and for get,
--       per schedule id, head, lastTask, job, rule, template;
--       the head is slot|firstSlot|lastSlot|fired|skipped|isPaused|declaredAt|version

local q, reply = queue_at(1), {}

if ARGV[1] == 'get' then
  local text = redis.call('HGET', q.schedules, ARGV[2])
  if text then tell_schedule(reply, ARGV[2], text) end
  return reply
end

local page, has_more = page_of(q.slots, 0, place_at(3), tonumber(ARGV[2]))
local bytes = 0
reply = { '', '' }
for i = 1, #page do
  local id = page[i].member
  local text = redis.call('HGET', q.schedules, id)
  if text then tell_schedule(reply, id, text) end
  bytes = bytes + #(text or '')
  local is_cut = bytes > 1000000 and i < #page
  if is_cut or (has_more and i == #page) then reply[1], reply[2] = page[i].score, id end
  if is_cut then break end
end
return reply
