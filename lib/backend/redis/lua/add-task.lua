-- How a task is stored; shared by add and by the schedules' advance. After common.

-- head: P plain, or U and the key of the lock ('' where that is not taken at enqueue): a fresh task that is due now. Else
-- S|priority|due|expires|replace; a time is i and milliseconds from now (expires: from the due time) or a and a moment.
-- rest: retries|keepMs|token|lock RS blob
local function parse_head(head)
  if string.sub(head, 1, 1) ~= 'S' then return { priority = 0, due_at = now, replace = false } end
  local f = split(head, '|')
  local function moment(text, from)
    if text == '' then return nil end
    local ms = tonumber(string.sub(text, 2))
    return string.sub(text, 1, 1) == 'i' and from + ms or ms
  end
  local due_at = math.max(moment(f[3], now), 0)
  return { priority = tonumber(f[2]), due_at = due_at, expires_at = moment(f[4], due_at), replace = f[5] == '1' }
end

local function lock_in(rest)
  local header = string.sub(rest, 1, string.find(rest, RS, 1, true) - 1)
  return parse_lock(string.match(header, '^[^|]*|[^|]*|[^|]*|(.*)$')), string.match(header, '^[^|]*|[^|]*|([^|]*)|')
end

local function given_text(plan, lock, prefix, enqueued_at, rest)
  local flag = (plan.expires_at or lock) and 'X' or 'P'
  local expires = plan.expires_at and int(plan.expires_at) or ''
  return flag .. '|' .. prefix .. '|' .. enqueued_at .. '|' .. expires .. '|' .. rest
end

local function prefix_text(arrival, priority)
  return string.format('%010x', arrival) .. (priority ~= 0 and string.format('%d', priority) or '')
end

-- Starts a task anew under its id. The arrival number stays.
local function restart(q, task, plan, lock, rest)
  leave(q, task)
  free_lock(q, task.id, task.given.lock)
  local prefix = prefix_text(tonumber(string.sub(task.given.prefix, 1, 10), 16), plan.priority)
  redis.call('HSET', q.tasks, task.id, given_text(plan, lock, prefix, task.given.enqueued_at, rest))
  redis.call('HDEL', q.runs, task.id)
  forget_notes(q, task.id)
  enter_by_due(q, prefix, task.id, plan.due_at)
  if locks_at_enqueue(lock) then redis.call('HSET', q.locks, lock.key, task.id) end
end

-- The answer to an enqueue of a taken id, where that alone settles the matter: e the same enqueue, x existing.
local function answer_of(existing, token, replace)
  if existing.given.token == token then return 'e' end
  local is_free = existing.state == 'dead' or existing.state == 'cancelled'
  if existing.state == 'pending' or not (is_free or replace) then return 'x' end
end

-- Whether the holder of a lock takes over what a new task says: where it has not started, or is parked; not where that is to
-- replace the one of its own id.
local function gives_way(holder, lock, existing, replace)
  if lock.conflict ~= 'replace' or (existing and replace) then return false end
  return not holder.run or holder.state == 'parked'
end

-- Answers e enqueued, x existing, r replaced, j rejected; for r and j possibly with the other task's id. Its arrival number
-- is drawn where none is given.
local function add_one(q, id, head, rest, arrival)
  local plan = parse_head(head)
  local lock, token = lock_in(rest)
  local existing = find_task(q, id)
  if existing and existing.is_past then
    remove_task(q, existing)
    existing = nil
  end
  local answer = existing and answer_of(existing, token, plan.replace)
  if answer then return answer end
  if locks_at_enqueue(lock) then
    local holder_id, holder = holder_of(q, lock.key)
    if holder_id and not (existing and holder_id == id) then
      if not gives_way(holder, lock, existing, plan.replace) then return 'j', holder_id end
      -- The holder stays the one that its own enqueue has stored: a repeat of that must know it again.
      local before, behind = string.match(rest, '^([^|]*|[^|]*|)[^|]*(.*)$')
      restart(q, holder, plan, lock, before .. holder.given.token .. behind)
      return 'r', holder_id
    end
  end
  if existing and plan.replace then
    restart(q, existing, plan, lock, rest)
    return 'r'
  end
  if existing then remove_task(q, existing) end
  local prefix = prefix_text(arrival or redis.call('HINCRBY', q.meta, 'arrival', 1), plan.priority)
  redis.call('HSET', q.tasks, id, given_text(plan, lock, prefix, int(now), rest))
  enter_by_due(q, prefix, id, plan.due_at)
  if locks_at_enqueue(lock) then redis.call('HSET', q.locks, lock.key, id) end
  return 'e'
end

-- The task that would hold a lock by now.
local function tried_holder(q, key)
  local holder = q.holders[key]
  if holder == nil then
    local _, stored = holder_of(q, key)
    return stored
  end
  return holder and is_in_phase(holder) and holder or nil
end

-- Notes that a task would be stored in the place of the one that had its id, whose lock is free then.
local function try_store(q, before, id, token, lock, due_at)
  local key = before and before.given.lock and before.given.lock.key
  local holder = key and tried_holder(q, key)
  if holder and holder.id == id then q.holders[key] = false end
  local stored = { id = id, state = 'scheduled', due_at = due_at, given = { token = token, lock = lock } }
  q.changed[id] = stored
  if locks_at_enqueue(lock) then q.holders[lock.key] = stored end
end

-- As add_one, without writing; answers the holder of a lock over which the task would raise.
local function try_one(q, id, head, rest)
  local plan = parse_head(head)
  local lock, token = lock_in(rest)
  local existing = q.changed[id] or find_task(q, id)
  if existing and existing.is_past then existing = nil end
  if existing and answer_of(existing, token, plan.replace) then return nil end
  local holder = locks_at_enqueue(lock) and tried_holder(q, lock.key)
  if not holder or holder.id == id then
    try_store(q, existing, id, token, lock, plan.due_at)
  elseif lock.conflict == 'raise' then
    return holder.id
  elseif gives_way(holder, lock, existing, plan.replace) then
    try_store(q, holder, holder.id, holder.given.token, lock, plan.due_at)
  end
end

-- The number of the first task of the call that would raise, and the holder.
local function find_raised()
  local at, index, n = 4, 1, 0
  while ARGV[at] do
    local q, count = queue_at(index), tonumber(ARGV[at])
    q.changed, q.holders = {}, {}
    for i = 0, count - 1 do
      n = n + 1
      local holder = try_one(q, ARGV[at + 1 + i * 3], ARGV[at + 2 + i * 3], ARGV[at + 3 + i * 3])
      if holder then return n, holder end
    end
    at, index = at + 1 + count * 3, index + 1
  end
end
