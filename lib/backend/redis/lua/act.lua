-- What an operator does to tasks of one queue.
-- KEYS  the keys of the queue
-- ARGV  retry | cancel | remove | run, cancelledKeepMs, then per task: id, the state it must be in or ''
-- reply per task: done, left, taken, missing or requested

local q, op, cancelled_keep = queue_at(1), ARGV[1], ARGV[2]

local function start_anew(task)
  leave(q, task)
  redis.call('HDEL', q.runs, task.id)
  redis.call('HDEL', q.notes, task.id .. ':r', task.id .. ':w', task.id .. ':p', task.id .. ':l')
  -- It expires no more: it is to run, however late that is.
  local value = task.value
  if task.given.expires_at then value = string.gsub(value, '^([^|]*|[^|]*|[^|]*|)[^|]*', '%1') end
  -- The short way of a success knows nothing of errors: whoever has some goes the long one, which forgets them.
  if redis.call('HEXISTS', q.notes, task.id .. ':e') == 1 then value = 'X' .. string.sub(value, 2) end
  if value ~= task.value then redis.call('HSET', q.tasks, task.id, value) end
  redis.call('ZADD', q.waiting, score_of(task.given.prefix, now), task.member)
end

local acts = {
  retry = function(task)
    if task.state ~= 'dead' and task.state ~= 'cancelled' and task.state ~= 'parked' then return 'left' end
    local lock = task.given.lock
    if locks_at_enqueue(lock) and take_lock(q, task.id, lock) then return 'taken' end
    start_anew(task)
    return 'done'
  end,
  cancel = function(task)
    return stop_task(q, task, 'cancelled', cancelled_keep)
  end,
  remove = function(task)
    if task.state == 'pending' then return 'left' end
    remove_task(q, task)
    return 'done'
  end,
  run = function(task)
    if task.state ~= 'scheduled' then return 'left' end
    redis.call('ZREM', q.scheduled, task.member)
    redis.call('ZADD', q.waiting, score_of(task.given.prefix, now), task.member)
    return 'done'
  end,
}

local reply = {}
for i = 3, #ARGV, 2 do
  local task, state = find_task(q, ARGV[i]), ARGV[i + 1]
  if not task or task.is_past then
    reply[#reply + 1] = 'missing'
  elseif state ~= '' and state ~= task.state then
    reply[#reply + 1] = 'left'
  else
    reply[#reply + 1] = acts[op](task)
  end
end
if op == 'retry' or op == 'run' then ring(q) end
return reply
