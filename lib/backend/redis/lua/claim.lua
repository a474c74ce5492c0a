-- Takes the best due tasks of several queues.
-- KEYS  the keys of each queue
-- ARGV  leaseMs, limit, runner, the number of the queue to begin with (0 the first), deadKeepMs, cancelledKeepMs,
--       the number of declared jobs and their names, the number of queues, whether held ids follow (1 or 0),
--       then per queue its number (1 the first), its limit and, where they follow, the number of held ids and the ids
-- reply per queue the milliseconds until there may be work again ('inf': only a bell can tell), then per claimed task:
--       queue (0 the first), id, epoch, attempt, failures, dueAt, conflictsWith, value

-- What a runner was given in an answer that never reached it.
local function hand_back_unheld(q, runner, cancelled_keep)
  local members = redis.call('ZRANGE', q.pending, 0, -1)
  for i = 1, #members do
    local id = id_of(members[i])
    local text = not q.held[id] and redis.call('HGET', q.runs, id)
    local run = text and parse_run(text)
    if run and run.runner == runner then
      redis.call('ZREM', q.pending, members[i])
      local lock = lock_of(q, id, run.flag)
      if run.cancel then
        cancel_task(q, id, run, 'cancelled', cancelled_keep, lock)
      else
        if lock and lock.phase == 'while_executing' then free_lock(q, id, lock) end
        run.state, run.attempt, run.runner = 'w', run.attempt - 1, nil
        write_run(q, id, run)
        redis.call('ZADD', q.waiting, score_of(run.prefix, run.due_at), members[i])
      end
    end
  end
end

local function purge(q, line)
  local members = redis.call('ZRANGEBYSCORE', line, '-inf', int(now), 'LIMIT', 0, MOVES)
  for i = 1, #members do
    local task = find_task(q, id_of(members[i]))
    if task then remove_task(q, task) else redis.call('ZREM', line, members[i]) end
  end
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
  -- Nothing of the lost claim counts any more, not even as a repeat.
  run.epoch, run.runner = '0', nil
  if run.cancel then return cancel_task(q, id, run, 'cancelled', cancelled_keep, lock) end
  if lock and lock.phase == 'while_executing' then free_lock(q, id, lock) end
  run.failures = run.failures + 1
  add_error(q, id, run, cjson.encode({
    name = 'LeaseLostError', message = 'runner ' .. lost_runner .. ' did not settle before its lease ended',
  }))
  if run.attempt > run.retries then return finish(q, id, run, 'd', dead_keep, lock) end
  run.state = 'w'
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

-- What time alone has brought about, and what there is to claim then.
local function catch_up(q, dead_keep, cancelled_keep)
  local lost = redis.call('ZRANGEBYSCORE', q.pending, '-inf', int(now), 'LIMIT', 0, MOVES)
  for i = 1, #lost do recover(q, lost[i], dead_keep, cancelled_keep) end
  local due = redis.call('ZRANGEBYSCORE', q.scheduled, '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, MOVES)
  if #due > 0 then promote(q, due) end
  local meta = redis.call('HMGET', q.meta, 'paused', 'epoch')
  q.epoch = math.max(tonumber(meta[2] or '0'), now_us - 1)
  q.paused_until = meta[1] == 'inf' and math.huge or tonumber(meta[1] or '0')
  q.is_paused = q.paused_until > now
  q.waits = q.is_paused and 0 or redis.call('ZCARD', q.waiting)
end

-- What a claim does to a task's lock; answers the other task that stands in the way of the run.
local function lock_claimed(q, id, lock)
  if not lock then return '' end
  if lock.phase == 'while_executing' then return take_lock(q, id, lock) or '' end
  if lock.phase == 'until_executing' then
    free_lock(q, id, lock)
  elseif lock.phase == 'until_executed' then
    -- Freed after an earlier run: taken again where it is free, and run either way.
    take_lock(q, id, lock)
  end
  return ''
end

-- Leases popped tasks and writes them to the reply; answers how many it took. `popped` is member, score, member, score …
local function lease(q, popped, ask, reply, is_parked)
  local ids = {}
  for i = 1, #popped, 2 do ids[#ids + 1] = id_of(popped[i]) end
  local values, runs = read_all(q.tasks, ids), read_all(q.runs, ids)
  local leases, texts, taken, at = {}, {}, 0, #reply
  for i = 1, #ids do
    local id, value = ids[i], values[i]
    if value then
      local flag, prefix, expires, retries = string.match(value, '^(.)|([^|]*)|[^|]*|([^|]*)|([^|]*)|')
      local run = runs[i] and parse_run(runs[i])
      local due_at = is_parked and run.due_at or due_of(popped[i * 2])
      -- A run says that a first attempt had begun, even where it was given back.
      if expires ~= '' and not run and tonumber(expires) <= now then
        cancel_task(q, id, {
          epoch = '0', attempt = 0, failures = 0, due_at = due_at, prefix = prefix, retries = tonumber(retries), flag = flag,
        }, 'expired', ask.cancelled_keep, parse_given(value).lock)
      else
        local conflict = flag == 'X' and lock_claimed(q, id, parse_given(value).lock) or ''
        local attempt, failures = run and run.attempt + 1 or 1, run and run.failures or 0
        q.epoch, taken = q.epoch + 1, taken + 1
        local epoch, due = int(q.epoch), int(due_at)
        local text = 'p|' .. epoch .. '|' .. attempt .. '|' .. failures .. '|' .. due .. '|0|' .. prefix .. '|' .. retries
          .. '|' .. flag .. '||' .. ask.runner
        leases[taken * 2 - 1], leases[taken * 2] = ask.lease_ends, popped[i * 2 - 1]
        texts[taken * 2 - 1], texts[taken * 2] = id, text
        -- A lock of the same call must see this task as pending.
        if flag == 'X' then redis.call('HSET', q.runs, id, text) end
        reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4] = q.index, id, epoch, attempt
        reply[at + 5], reply[at + 6], reply[at + 7], reply[at + 8] = failures, due, conflict, value
        at = at + 8
      end
    end
  end
  if taken > 0 then
    redis.call('HSET', q.meta, 'epoch', int(q.epoch))
    each_chunk('ZADD', q.pending, leases)
    each_chunk('HSET', q.runs, texts)
  end
  return taken
end

-- Tasks that were parked because nobody knew their job; answers how many it took.
local function claim_unknown(q, most, ask, reply)
  local popped = {}
  for i = 1, #ask.declared do
    local job = ask.declared[i]
    local found = redis.call('ZRANGEBYLEX', q.unknown, '[' .. job .. US, '(' .. job .. '\32', 'LIMIT', 0, most - #popped / 2)
    for j = 1, #found do
      local member = string.sub(found[j], #job + 2)
      redis.call('ZREM', q.unknown, found[j])
      redis.call('ZREM', q.parked, member)
      redis.call('HDEL', q.notes, id_of(member) .. ':w')
      popped[#popped + 1] = member
      popped[#popped + 1] = '0'
    end
    if #popped / 2 >= most then break end
  end
  return #popped > 0 and lease(q, popped, ask, reply, true) or 0
end

-- A share for each queue in turn, leftovers go round again; each queue is then asked for its share at once.
local function share(queues, left)
  local open = {}
  for i = 1, #queues do
    local q = queues[i]
    q.share = 0
    if q.free > 0 and q.waits > 0 then open[#open + 1] = q end
  end
  while left > 0 and #open > 0 do
    local each, still = math.max(math.floor(left / #open), 1), {}
    for i = 1, #open do
      local q = open[i]
      local n = math.min(each, q.free, q.waits, left)
      q.share, q.free, q.waits, left = q.share + n, q.free - n, q.waits - n, left - n
      if q.free > 0 and q.waits > 0 then still[#still + 1] = q end
    end
    open = still
  end
end

local function next_look(q)
  if q.is_paused then return q.paused_until == math.huge and 'inf' or int(q.paused_until - now) end
  if q.waits > 0 then return '0' end
  local due = redis.call('ZRANGE', q.scheduled, 0, 0, 'WITHSCORES')[2]
  local lost = redis.call('ZRANGE', q.pending, 0, 0, 'WITHSCORES')[2]
  local first = math.min(tonumber(due) or math.huge, tonumber(lost) or math.huge)
  return first == math.huge and 'inf' or int(math.max(first - now, 0))
end

-- Reads its arguments from `at` on.
local function claim(at)
  local limit, start = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 3])
  local ask = {
    lease_ends = int(now + tonumber(ARGV[at])), runner = ARGV[at + 2],
    dead_keep = ARGV[at + 4], cancelled_keep = ARGV[at + 5], declared = {},
  }
  for i = 1, tonumber(ARGV[at + 6]) do ask.declared[i] = ARGV[at + 6 + i] end
  at = at + 7 + #ask.declared
  local queue_count, knows_held = tonumber(ARGV[at]), ARGV[at + 1] == '1'
  at = at + 2

  local reply, queues = {}, {}
  for index = 1, queue_count do
    local q = queue_at(tonumber(ARGV[at]))
    q.index, q.free = index - 1, tonumber(ARGV[at + 1])
    at = at + 2
    if knows_held then
      q.held = {}
      for i = 1, tonumber(ARGV[at]) do q.held[ARGV[at + i]] = true end
      at = at + 1 + tonumber(ARGV[at])
      hand_back_unheld(q, ask.runner, ask.cancelled_keep)
    end
    if #ask.declared > 0 then
      purge(q, q.kept)
      purge(q, q.dead)
      purge(q, q.cancelled)
    end
    catch_up(q, ask.dead_keep, ask.cancelled_keep)
    reply[index] = ''
    -- From here on in the order of this call's turn.
    queues[(index - 1 - start) % queue_count + 1] = q
  end

  if #ask.declared > 0 then
    for i = 1, queue_count do
      local q = queues[i]
      local most = math.min(q.free, limit)
      if not q.is_paused and most > 0 then
        local taken = claim_unknown(q, most, ask, reply)
        q.free, limit = q.free - taken, limit - taken
      end
    end
  end

  -- Expired ones fall out on the way, so a share may bring less than it asked for; a bounded number of rounds.
  for _ = 1, 10 do
    if limit <= 0 then break end
    share(queues, limit)
    local asked, taken = 0, 0
    for i = 1, queue_count do
      local q = queues[i]
      if q.share > 0 then
        local got = lease(q, redis.call('ZPOPMIN', q.waiting, q.share), ask, reply)
        q.free = q.free + q.share - got
        asked, taken = asked + q.share, taken + got
      end
    end
    limit = limit - taken
    if asked == taken then break end
  end

  for i = 1, queue_count do reply[queues[i].index + 1] = next_look(queues[i]) end
  return reply
end
