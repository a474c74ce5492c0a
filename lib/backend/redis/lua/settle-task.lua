-- What an outcome does to a task; after common and notes.

-- The next run may end by the short way, which knows nothing of notes: the task itself says that it has some.
local function give_back(q, id, run)
  run.attempt = run.attempt - 1
  if run.flag ~= 'X' then return end
  local value = redis.call('HGET', q.tasks, id)
  if value and string.sub(value, 1, 1) == 'P' then redis.call('HSET', q.tasks, id, 'X' .. string.sub(value, 2)) end
end

local function postpone(q, id, run, delay_ms)
  run.state, run.due_at, run.runner = 'w', now + tonumber(delay_ms), nil
  write_run(q, id, run)
  enter_by_due(q, run.prefix, id, run.due_at)
end

-- `said` is what the run had still to say: progress and lines. Answers c where the task ends cancelled instead.
local function apply(q, id, run, kind, a, b, cancelled_keep, said)
  if said then add_notes(q, id, run, said.progress, said.lines) end
  redis.call('ZREM', q.pending, run.prefix .. ':' .. id)
  local lock = lock_of(q, id, run.flag)
  if run.cancel and kind ~= 's' then
    cancel_task(q, id, run, 'cancelled', cancelled_keep, lock)
    return 'c'
  end
  if lock and lock.phase == 'while_executing' then free_lock(q, id, lock) end
  if kind == 's' then
    finish(q, id, run, 'k', a, lock)
    if b ~= '' and a ~= '0' then redis.call('HSET', q.notes, id .. ':r', string.sub(b, 2)) end
  elseif kind == 'r' then
    if lock and lock.phase == 'until_executed' then free_lock(q, id, lock) end
    run.failures = run.failures + 1
    add_error(q, id, run, b)
    postpone(q, id, run, a)
  elseif kind == 'd' then
    run.failures = run.failures + 1
    add_error(q, id, run, b)
    finish(q, id, run, 'd', a, lock)
  elseif kind == 'c' then
    cancel_task(q, id, run, b, a, lock)
  elseif kind == 'z' then
    give_back(q, id, run)
    postpone(q, id, run, a)
  elseif kind == 'h' then
    give_back(q, id, run)
    run.state, run.runner = 'w', nil
    write_run(q, id, run)
    redis.call('ZADD', q.waiting, score_of(run.prefix, run.due_at), run.prefix .. ':' .. id)
    q.has_news = true
  elseif kind == 'x' then
    give_back(q, id, run)
    run.state, run.runner = 'x', nil
    write_run(q, id, run)
    local member = run.prefix .. ':' .. id
    redis.call('ZADD', q.parked, int(now), member)
    redis.call('HSET', q.notes, id .. ':w', a == '' and b or b .. US .. a)
    if a ~= '' or b == 'unknown-job' then
      redis.call('ZADD', q.parked_by, 0, parked_entry(redis.call('HGET', q.tasks, id), a, member))
    end
    if b == 'unknown-job' then q.has_news = true end
  end
end

-- A run that outlasted its lease: where nobody has claimed the task since, it need not be done again.
local function settle_late(q, id, run, kind, keep, result, said)
  if kind ~= 's' or (run.state ~= 'w' and run.state ~= 'd') then return 'l' end
  local task = find_task(q, id)
  if not task or task.is_past then return 'l' end
  leave(q, task)
  if said then add_notes(q, id, run, said.progress, said.lines) end
  run.epoch = string.sub(run.epoch, 2)
  finish(q, id, run, 'k', keep, task.given.lock)
  if result ~= '' and keep ~= '0' then redis.call('HSET', q.notes, id .. ':r', string.sub(result, 2)) end
  return 's'
end
