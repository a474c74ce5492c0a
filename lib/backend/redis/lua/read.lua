-- Reads tasks of one queue. After common and place.
-- KEYS  the keys of the queue
-- ARGV  get, id | counts
--       | list, state, limit, whether backwards (1 or 0), score, member: the place at which to go on, or '' and ''
-- reply get: a task or nothing. list: the place at which there is more, or '' and '', then tasks; what is large is told in
--       several answers.
--       Per task id, state, dueAt, leaseEndsAt or '', value, run or '', errors or '', result or '' ('+' before it), reason or '',
--       progress or '', lines or ''. counts: scheduled, waiting, pending, succeeded, dead, cancelled, parked

local q, BYTES = queue_at(1), 1000000

-- Answers about how many bytes it has written.
local function write(reply, task)
  local id, n = task.id, #reply
  local notes = redis.call('HMGET', q.notes, id .. ':e', id .. ':r', id .. ':w', id .. ':p', id .. ':l')
  reply[n + 1], reply[n + 2], reply[n + 3] = id, task.state, int(task.due_at)
  reply[n + 4] = task.state == 'pending' and redis.call('ZSCORE', q.pending, task.member) or ''
  reply[n + 5] = task.value
  reply[n + 6] = task.run and run_text(task.run) or ''
  reply[n + 7] = notes[1] or ''
  reply[n + 8] = notes[2] and '+' .. notes[2] or ''
  reply[n + 9], reply[n + 10], reply[n + 11] = notes[3] or '', notes[4] or '', notes[5] or ''
  return #task.value + #reply[n + 7] + #reply[n + 8] + #reply[n + 11]
end

local lines = {
  scheduled = q.scheduled, waiting = q.waiting, pending = q.pending, succeeded = q.kept, dead = q.dead,
  cancelled = q.cancelled, parked = q.parked,
}

if ARGV[1] == 'get' then
  local reply, task = {}, find_task(q, ARGV[2])
  if task and not task.is_past then write(reply, task) end
  return reply
end

if ARGV[1] == 'list' then
  local state, reply, bytes = ARGV[2], { '', '' }, 0
  local line = lines[state]
  -- Those whose time to be kept is over come first, and are as good as gone.
  local keeps = state == 'succeeded' or state == 'dead' or state == 'cancelled'
  local past = keeps and redis.call('ZCOUNT', line, '-inf', int(now)) or 0
  local place, limit, is_backwards, page, has_more = place_at(5), tonumber(ARGV[3]), ARGV[4] == '1', nil, nil
  if state == 'pending' then
    page, has_more = page_by_arrival(line, place, limit, is_backwards)
  else
    page, has_more = page_of(line, past, place, limit, is_backwards)
  end
  for i = 1, #page do
    local task = find_task(q, id_of(page[i].member))
    if task and task.state == state then bytes = bytes + write(reply, task) end
    local is_cut = bytes > BYTES and i < #page
    if is_cut or (has_more and i == #page) then reply[1], reply[2] = page[i].score, page[i].member end
    if is_cut then break end
  end
  return reply
end

local past = '(' .. int(now)
return {
  redis.call('ZCARD', q.scheduled), redis.call('ZCARD', q.waiting), redis.call('ZCARD', q.pending),
  redis.call('ZCOUNT', q.kept, past, '+inf'), redis.call('ZCOUNT', q.dead, past, '+inf'),
  redis.call('ZCOUNT', q.cancelled, past, '+inf'), redis.call('ZCARD', q.parked),
}
