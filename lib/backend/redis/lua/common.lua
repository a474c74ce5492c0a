-- What scripts do to tasks, shared by all; after base. A script that is called for every task has it in a function that is
-- only called where its short way does not suffice: making these functions would cost it more than its work.

-- Rings the bell of a queue, whose channel stands beside the keys: that there is work; with 'c' and an id that this task is
-- to stop; with 's' that a slot of a schedule may have come nearer.
local function ring(q, message)
  redis.call('PUBLISH', string.sub(q.waiting, 1, -8) .. 'bell', message or '')
end

-- Rings where runners may be asleep over this: a queue that had nothing waiting, or something due sooner than all else.
-- Where more is waiting already they have been told, and will look again by themselves.
local function ring_if_first(q, waiting_added, earliest_due)
  if waiting_added > 0 and redis.call('ZCARD', q.waiting) <= waiting_added then return ring(q) end
  if not earliest_due then return end
  local first = redis.call('ZRANGE', q.scheduled, 0, 0, 'WITHSCORES')[2]
  if first and tonumber(first) >= earliest_due then ring(q) end
end

local function split(text, separator)
  local parts, from = {}, 1
  while true do
    local at = string.find(text, separator, from, true)
    if not at then
      parts[#parts + 1] = string.sub(text, from)
      return parts
    end
    parts[#parts + 1] = string.sub(text, from, at - 1)
    from = at + 1
  end
end

local function id_of(member)
  return string.sub(member, string.find(member, ':', 1, true) + 1)
end

local function prefix_of(member)
  return string.sub(member, 1, string.find(member, ':', 1, true) - 1)
end

local function priority_of(prefix)
  return #prefix > 10 and tonumber(string.sub(prefix, 11)) or 0
end

local function score_of(prefix, due_at)
  return int((priority_of(prefix) + 1000) * PRIORITY_STEP + due_at)
end

local function due_of(score)
  return math.fmod(tonumber(score), PRIORITY_STEP)
end

local function parse_lock(text)
  if text == '' then return nil end
  local phase, conflict, ttl, retry_after, key = string.match(text, '^([^,]*),([^,]*),([^,]*),([^,]*),(.*)$')
  return { phase = phase, conflict = conflict, ttl = tonumber(ttl), retry_after = retry_after, key = key }
end

local function parse_given(value)
  local header = split(string.sub(value, 1, string.find(value, RS, 1, true) - 1), '|')
  return {
    flag = header[1], prefix = header[2], enqueued_at = header[3], expires_at = tonumber(header[4]),
    retries = tonumber(header[5]), token = header[7], lock = parse_lock(table.concat(header, '|', 8)),
  }
end

local function parse_run(value)
  local f = split(value, '|')
  return {
    state = f[1], epoch = f[2], attempt = tonumber(f[3]), failures = tonumber(f[4]), due_at = tonumber(f[5]),
    cancel = f[6] == '1', prefix = f[7], retries = tonumber(f[8]), flag = f[9], finished_at = f[10],
    runner = table.concat(f, '|', 11),
  }
end

local function run_text(run)
  return run.state .. '|' .. run.epoch .. '|' .. run.attempt .. '|' .. run.failures .. '|' .. int(run.due_at) .. '|'
    .. (run.cancel and '1' or '0') .. '|' .. run.prefix .. '|' .. run.retries .. '|' .. run.flag .. '|'
    .. (run.finished_at or '') .. '|' .. (run.runner or '')
end

-- Whether the latest claim met a lock, so that its run did not begin.
local function is_in_conflict(run)
  return run.flag == 'C' or run.flag == 'N'
end

local function write_run(q, id, run)
  redis.call('HSET', q.runs, id, run_text(run))
end

-- The lock of a task, where it has one.
local function lock_of(q, id, flag)
  if flag == 'P' then return nil end
  local value = redis.call('HGET', q.tasks, id)
  return value and parse_given(value).lock
end

-- The score in waiting of a task that this call has taken out of it, to claim it.
local function popped_score(q, member)
  local popped = q.popped or {}
  for i = 1, #popped, 2 do
    if popped[i] == member then return popped[i + 1] end
  end
  return 0
end

-- Where a task is. A plain one that was never claimed has no run and stands in waiting or scheduled.
local function find_task(q, id)
  local value = redis.call('HGET', q.tasks, id)
  if not value then return nil end
  local task = { id = id, given = parse_given(value), value = value }
  local text = redis.call('HGET', q.runs, id)
  if text then task.run = parse_run(text) end
  task.member = task.given.prefix .. ':' .. id
  local state = task.run and task.run.state or 'w'
  if state == 'w' then
    local due = redis.call('ZSCORE', q.scheduled, task.member)
    if due then
      task.state, task.line, task.due_at = 'scheduled', q.scheduled, tonumber(due)
    else
      task.state, task.line = 'waiting', q.waiting
      task.due_at = due_of(redis.call('ZSCORE', q.waiting, task.member) or popped_score(q, task.member))
    end
    return task
  end
  local names = { p = 'pending', d = 'dead', k = 'succeeded', c = 'cancelled', x = 'parked' }
  local lines = { p = q.pending, d = q.dead, k = q.kept, c = q.cancelled, x = q.parked }
  task.state, task.line, task.due_at = names[state], lines[state], task.run.due_at
  if state == 'd' or state == 'k' or state == 'c' then
    task.remove_at = redis.call('ZSCORE', task.line, task.member)
    if task.remove_at ~= 'inf' and tonumber(task.remove_at) <= now then task.is_past = true end
  end
  return task
end

-- Whether a task can hold its lock as it is now; a run says that a first one had begun, even where it was given back.
local function is_in_phase(task)
  local lock, state = task.given.lock, task.state
  if lock.phase == 'while_executing' then return state == 'pending' end
  if state == 'succeeded' or state == 'dead' or state == 'cancelled' then return false end
  if task.run then return lock.phase ~= 'until_executing' end
  return not lock.ttl or task.due_at + lock.ttl > now
end

-- The id of the task that holds a lock, and the task.
local function holder_of(q, key)
  local id = redis.call('HGET', q.locks, key)
  if not id then return nil end
  local holder = find_task(q, id)
  if not holder or not holder.given.lock or holder.given.lock.key ~= key or not is_in_phase(holder) then return nil end
  return id, holder
end

-- Takes a lock for a task; answers the other task that holds it, if any.
local function take_lock(q, id, lock)
  local holder = holder_of(q, lock.key)
  if holder and holder ~= id then return holder end
  redis.call('HSET', q.locks, lock.key, id)
end

-- Frees a task's lock, unless another has taken it since.
local function free_lock(q, id, lock)
  if lock and redis.call('HGET', q.locks, lock.key) == id then redis.call('HDEL', q.locks, lock.key) end
end

local function locks_at_enqueue(lock)
  return lock and lock.phase ~= 'while_executing'
end

-- Where a parked task stands in parkedBy.
local function parked_entry(value, fingerprint, member)
  return string.match(value, RS .. '([^' .. US .. ']*' .. US .. ')') .. fingerprint .. US .. member
end

local function forget_parked(q, task)
  local reason = redis.call('HGET', q.notes, task.id .. ':w') or ''
  redis.call('ZREM', q.parked_by, parked_entry(task.value, string.match(reason, US .. '(.*)') or '', task.member))
end

-- Takes a task out of the line it stands in.
local function leave(q, task)
  redis.call('ZREM', task.line, task.member)
  if task.state == 'parked' then forget_parked(q, task) end
end

local function forget_notes(q, id)
  redis.call('HDEL', q.notes, id .. ':e', id .. ':r', id .. ':w', id .. ':p', id .. ':l')
end

local function remove_task(q, task)
  leave(q, task)
  free_lock(q, task.id, task.given.lock)
  redis.call('HDEL', q.tasks, task.id)
  redis.call('HDEL', q.runs, task.id)
  forget_notes(q, task.id)
end

-- Puts a task that is in no line where its due time calls for.
local function enter_by_due(q, prefix, id, due_at)
  if due_at > now then
    redis.call('ZADD', q.scheduled, int(due_at), prefix .. ':' .. id)
    q.earliest_due = math.min(q.earliest_due or due_at, due_at)
  else
    redis.call('ZADD', q.waiting, score_of(prefix, due_at), prefix .. ':' .. id)
    q.added = (q.added or 0) + 1
  end
end

-- Ends a task that has left its line: it stays for keep_ms ('inf': for good), then vanishes.
local function finish(q, id, run, state, keep_ms, lock)
  free_lock(q, id, lock)
  if keep_ms ~= 'inf' and tonumber(keep_ms) <= 0 then
    redis.call('HDEL', q.tasks, id)
    redis.call('HDEL', q.runs, id)
    forget_notes(q, id)
    return
  end
  local lines = { d = q.dead, k = q.kept, c = q.cancelled }
  run.state, run.finished_at = state, int(now)
  redis.call('ZADD', lines[state], keep_ms == 'inf' and '+inf' or int(now + tonumber(keep_ms)), run.prefix .. ':' .. id)
  write_run(q, id, run)
end

local function add_error(q, id, run, json)
  local started_at = math.floor(math.abs(tonumber(run.epoch)) / 1000)
  local entry = string.sub(json, 1, -2) .. ',"attempt":' .. run.attempt .. ',"startedAt":' .. int(started_at)
    .. ',"runner":' .. cjson.encode(run.runner or '') .. ',"at":' .. int(now) .. '}'
  local field = id .. ':e'
  local before = redis.call('HGET', q.notes, field)
  if not before then
    redis.call('HSET', q.notes, field, entry)
  elseif run.failures <= 100 then
    redis.call('HSET', q.notes, field, before .. ',' .. entry)
  else
    -- The latest hundred are kept. The entries hold no raw record separator, so it can tell them apart.
    local kept = cjson.decode('[' .. before .. ']')
    while #kept >= 100 do table.remove(kept, 1) end
    local texts = {}
    for i = 1, #kept do texts[i] = cjson.encode(kept[i]) end
    texts[#texts + 1] = entry
    redis.call('HSET', q.notes, field, table.concat(texts, ','))
  end
end

-- The run of a task that was never claimed, for the states that need one.
local function run_of(task)
  return task.run or {
    state = 'w', epoch = '0', attempt = 0, failures = 0, due_at = task.due_at, cancel = false,
    prefix = task.given.prefix, retries = task.given.retries, flag = task.given.flag,
  }
end

local function cancel_task(q, id, run, reason, keep_ms, lock)
  finish(q, id, run, 'c', keep_ms, lock)
  if keep_ms == 'inf' or tonumber(keep_ms) > 0 then redis.call('HSET', q.notes, id .. ':w', reason) end
end

-- Ends a task that does not run; one that does is asked to stop. Answers done, requested or left.
local function stop_task(q, task, reason, keep_ms)
  if task.state == 'pending' then
    task.run.cancel = true
    write_run(q, task.id, task.run)
    return 'requested'
  end
  if task.state ~= 'scheduled' and task.state ~= 'waiting' and task.state ~= 'parked' then return 'left' end
  leave(q, task)
  local run = run_of(task)
  run.due_at = task.due_at
  cancel_task(q, task.id, run, reason, keep_ms, task.given.lock)
  return 'done'
end
