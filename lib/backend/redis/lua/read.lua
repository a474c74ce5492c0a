-- Reads tasks of one queue.
-- KEYS  the keys of the queue
-- ARGV  get, id | list, state, limit, the id after which to go on or '' | counts
-- reply get and list: per task id, state, dueAt, leaseEndsAt or '', value, run or '', errors or '', result or '' ('+' before it),
--       reason or ''. counts: scheduled, waiting, pending, succeeded, dead, cancelled, parked

local q = queue_at(1)

local function write(reply, task)
  local notes = redis.call('HMGET', q.notes, task.id .. ':e', task.id .. ':r', task.id .. ':w')
  reply[#reply + 1] = task.id
  reply[#reply + 1] = task.state
  reply[#reply + 1] = int(task.due_at)
  reply[#reply + 1] = task.state == 'pending' and redis.call('ZSCORE', q.pending, task.member) or ''
  reply[#reply + 1] = task.value
  reply[#reply + 1] = task.run and run_text(task.run) or ''
  reply[#reply + 1] = notes[1] or ''
  reply[#reply + 1] = notes[2] and '+' .. notes[2] or ''
  reply[#reply + 1] = notes[3] or ''
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
  local line, limit, reply = lines[ARGV[2]], tonumber(ARGV[3]), {}
  local from = 0
  if ARGV[4] ~= '' then
    local after = find_task(q, ARGV[4])
    local rank = after and redis.call('ZRANK', line, after.member)
    -- A task that has left the state cannot say where to go on; better an end than a second beginning.
    if not rank then return reply end
    from = rank + 1
  end
  while limit > 0 do
    local members = redis.call('ZRANGE', line, from, from + math.min(limit, CHUNK) - 1)
    if #members == 0 then break end
    for i = 1, #members do
      local task = find_task(q, id_of(members[i]))
      if task and not task.is_past then
        write(reply, task)
        limit = limit - 1
      end
    end
    from = from + #members
  end
  return reply
end

local past = '(' .. int(now)
return {
  redis.call('ZCARD', q.scheduled), redis.call('ZCARD', q.waiting), redis.call('ZCARD', q.pending),
  redis.call('ZCOUNT', q.kept, past, '+inf'), redis.call('ZCOUNT', q.dead, past, '+inf'),
  redis.call('ZCOUNT', q.cancelled, past, '+inf'), redis.call('ZCARD', q.parked),
}
