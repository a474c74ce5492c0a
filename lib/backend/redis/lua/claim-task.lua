-- What a claim does beside handing out plain tasks; after common and stats.

-- The pending tasks of a runner that it does not know to hold, as member and run. Read many at a time and told by their ends:
-- there may be a hundred thousand of others.
local function find_unheld(q, runner)
  local found, ending, from = {}, '|' .. runner, 0
  while true do
    local members = redis.call('ZRANGE', q.pending, from, from + CHUNK - 1)
    if #members == 0 then return found end
    local ids = {}
    for i = 1, #members do ids[i] = id_of(members[i]) end
    local texts = redis.call('HMGET', q.runs, unpack(ids))
    for i = 1, #members do
      if texts[i] and string.sub(texts[i], -#ending) == ending and not q.held[ids[i]] then
        local run = parse_run(texts[i])
        if run.runner == runner then found[#found + 1] = { member = members[i], id = ids[i], run = run } end
      end
    end
    from = from + #members
  end
end

-- What a runner was given in an answer that never reached it.
local function hand_back_unheld(q, runner, cancelled_keep)
  local found = find_unheld(q, runner)
  for i = 1, #found do
    local member, id, run = found[i].member, found[i].id, found[i].run
    redis.call('ZREM', q.pending, member)
    local lock = lock_of(q, id, run.flag)
    if run.cancel then
      cancel_task(q, id, run, 'cancelled', cancelled_keep, lock)
    else
      if lock and lock.phase == 'while_executing' then free_lock(q, id, lock) end
      run.state, run.attempt, run.runner = 'w', run.attempt - 1, nil
      write_run(q, id, run)
      redis.call('ZADD', q.waiting, score_of(run.prefix, run.due_at), member)
    end
  end
  -- Whoever hands back may be about to take nothing more.
  if #found > 0 then ring(q) end
end

local function purge(q, line)
  local members = redis.call('ZRANGEBYSCORE', line, '-inf', int(now), 'LIMIT', 0, MOVES)
  for i = 1, #members do
    local task = find_task(q, id_of(members[i]))
    if task then remove_task(q, task) else redis.call('ZREM', line, members[i]) end
  end
end

-- Notes a run that its runner will not tell of, for the figures and for whoever claims; it may have been the task's last.
local function note_lost(q, id, run, runner, ended, error)
  local value = redis.call('HGET', q.tasks, id)
  if not value then return end
  local part = '([^' .. US .. ']*)' .. US
  local job, _, schedule, slot = string.match(value, RS .. part .. part .. part .. part)
  if schedule ~= '' and slot ~= '' then
    note_slot(q, string.gsub(string.gsub(schedule, '%%1F', US), '%%25', '%%'), slot, id, ended)
  end
  q.recovered = q.recovered or {}
  q.recovered[#q.recovered + 1] = {
    id, string.sub(run.epoch, 2), run.attempt .. '|' .. int(run.due_at) .. '|' .. int(now), ended, runner,
    job .. US .. schedule .. US .. slot, error and error.message or '',
  }
  q.lost = q.lost or {}
  local lost = q.lost[job] or { job = job, counts = { 0, 0, 0, 0, 0, 0, 0 }, failure = '' }
  q.lost[job] = lost
  lost.counts[5] = lost.counts[5] + 1
  if ended == 'dead' then lost.counts[3] = lost.counts[3] + 1 end
  if ended == 'cancelled' then lost.counts[4] = lost.counts[4] + 1 end
  if error then lost.failure = error.name .. ': ' .. error.message end
end

local function count_lost(q)
  local runs = {}
  for _, lost in pairs(q.lost or {}) do runs[#runs + 1] = lost end
  if #runs > 0 then count_runs(q, runs) end
end

-- A lease that ended without an outcome: its process died, or was cut off.
local function recover(q, member, dead_keep, cancelled_keep)
  local id = id_of(member)
  local text = redis.call('HGET', q.runs, id)
  redis.call('ZREM', q.pending, member)
  if not text then return end
  local run = parse_run(text)
  local lock = lock_of(q, id, run.flag)
  local lost_runner = run.runner
  run.epoch = '-' .. run.epoch
  if run.cancel then
    note_lost(q, id, run, lost_runner, 'cancelled')
    return cancel_task(q, id, run, 'cancelled', cancelled_keep, lock)
  end
  if lock and lock.phase == 'while_executing' then free_lock(q, id, lock) end
  if is_in_conflict(run) then
    -- It never ran: as when it is handed back.
    run.attempt = run.attempt - 1
  else
    run.failures = run.failures + 1
    local error = { name = 'LeaseLostError', message = 'runner ' .. lost_runner .. ' did not settle before its lease ended' }
    add_error(q, id, run, cjson.encode(error))
    local is_dead = run.attempt > run.retries
    note_lost(q, id, run, lost_runner, is_dead and 'dead' or 'lost', error)
    if is_dead then return finish(q, id, run, 'd', dead_keep, lock) end
  end
  run.state, run.runner = 'w', nil
  write_run(q, id, run)
  redis.call('ZADD', q.waiting, score_of(run.prefix, run.due_at), member)
end

local function promote(q, due)
  local members, entries = {}, {}
  for i = 1, #due, 2 do
    members[#members + 1] = due[i]
    entries[#entries + 1] = score_of(prefix_of(due[i]), tonumber(due[i + 1]))
    entries[#entries + 1] = due[i]
  end
  each_chunk('ZREM', q.scheduled, members)
  each_chunk('ZADD', q.waiting, entries)
end

-- What a claim does to a task's lock; answers the other task that stands in the way of the run.
local function lock_claimed(q, id, lock, failures)
  if not lock then return '' end
  if lock.phase == 'while_executing' then return take_lock(q, id, lock) or '' end
  if lock.phase == 'until_executing' then
    free_lock(q, id, lock)
  elseif lock.phase == 'until_executed' and failures ~= '0' then
    -- Freed by the failure of an earlier run: taken again where it is free, and run either way.
    take_lock(q, id, lock)
  end
  return ''
end

-- Ends a task whose time had passed before its first run.
local function expire(q, id, value, prefix, retries, flag, due_at, cancelled_keep)
  cancel_task(q, id, {
    epoch = '0', attempt = 0, failures = 0, due_at = due_at, prefix = prefix, retries = tonumber(retries), flag = flag,
  }, 'expired', cancelled_keep, parse_given(value).lock)
end

-- Takes tasks out of parked that are there because nobody knew their job; answers them as popped ones.
local function pop_unknown(q, jobs, most)
  local popped = {}
  for i = 1, #jobs do
    local job = jobs[i]
    local unknown = job .. US .. US
    local found =
      redis.call('ZRANGEBYLEX', q.parked_by, '[' .. unknown, '(' .. job .. US .. '\32', 'LIMIT', 0, most - #popped / 2)
    for j = 1, #found do
      local member = string.sub(found[j], #unknown + 1)
      redis.call('ZREM', q.parked_by, found[j])
      redis.call('ZREM', q.parked, member)
      redis.call('HDEL', q.notes, id_of(member) .. ':w')
      popped[#popped + 1] = member
      popped[#popped + 1] = int(parse_run(redis.call('HGET', q.runs, id_of(member))).due_at)
    end
    if #popped / 2 >= most then break end
  end
  return popped
end
