-- Takes the best due tasks of several queues.
-- KEYS  the keys of each queue
-- ARGV  leaseMs, limit, runner, the number of the queue to begin with (0 the first), deadKeepMs, cancelledKeepMs,
--       the number of declared jobs and their names, the number of queues, whether held ids follow (1 or 0),
--       then per queue its number (1 the first), its limit and, where they follow, the number of held ids and the ids
-- reply per queue the milliseconds until there may be work again ('inf': only a bell can tell), then per claimed task:
--       queue (0 the first), id, epoch, attempt, failures, dueAt, conflictsWith, value; then per run whose lease had ended:
--       queue and '!', id, epoch, attempt|dueAt|now, what became of it, runner, job US scheduleId US slot, message of the error or ''

-- What time alone has brought about, and what there is to claim then.
local function catch_up(q, dead_keep, cancelled_keep)
  local lost = redis.call('ZRANGEBYSCORE', q.pending, '-inf', int(now), 'LIMIT', 0, MOVES)
  if #lost > 0 then
    L = L or library()
    for i = 1, #lost do L.recover(q, lost[i], dead_keep, cancelled_keep) end
    L.count_lost(q)
  end
  local due = redis.call('ZRANGEBYSCORE', q.scheduled, '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, MOVES)
  if #due > 0 then
    L = L or library()
    L.promote(q, due)
  end
  local epoch, paused = string.match(redis.call('HGET', q.runs, '') or '0|', '^(%d+)|(.*)$')
  q.epoch = math.max(tonumber(epoch), now_us - 1)
  q.paused_until = paused == 'inf' and math.huge or tonumber(paused) or 0
  q.is_paused = q.paused_until > now
  q.waits = q.is_paused and 0 or redis.call('ZCARD', q.waiting)
end

-- Leases popped tasks and writes them to the reply; answers how many it took. `popped` is member, score, member, score …
local function lease(q, popped, ask, reply, may_expire)
  q.popped = popped
  local ids = {}
  for i = 1, #popped, 2 do
    local member = popped[i]
    ids[#ids + 1] = string.sub(member, string.find(member, ':', 1, true) + 1)
  end
  local values, runs = read_all(q.tasks, ids), read_all(q.runs, ids)
  local leases, texts, taken, at = {}, {}, 0, #reply
  for i = 1, #ids do
    local id, value, text = ids[i], values[i], runs[i]
    if value then
      local flag, prefix, expires, retries = string.match(value, '^(.)|([^|]*)|[^|]*|([^|]*)|([^|]*)|')
      local due_at = math.fmod(tonumber(popped[i * 2]), PRIORITY_STEP)
      -- A run says that a first attempt had begun, even where it was given back, unless locks have kept it from that.
      local is_fresh = not text or flag == 'X' and string.find(text, '^.|[^|]*|0|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|N|') ~= nil
      if may_expire and expires ~= '' and is_fresh and tonumber(expires) <= now then
        L = L or library()
        L.expire(q, id, value, prefix, retries, flag, due_at, ask.cancelled_keep)
      else
        local attempt, failures, conflict = 1, '0', ''
        if text then
          attempt, failures = string.match(text, '^.|[^|]*|([^|]*)|([^|]*)|')
          attempt = tonumber(attempt) + 1
        end
        if flag == 'X' then
          L = L or library()
          conflict = L.lock_claimed(q, id, L.parse_given(value).lock, failures)
          if conflict ~= '' then flag = is_fresh and 'N' or 'C' end
        end
        q.epoch, taken = q.epoch + 1, taken + 1
        local epoch, due = string.format('%.0f', q.epoch), string.format('%.0f', due_at)
        local run = 'p|' .. epoch .. '|' .. attempt .. '|' .. failures .. '|' .. due .. '|0|' .. prefix .. '|' .. retries
          .. '|' .. flag .. '||' .. ask.runner
        leases[taken * 2 - 1], leases[taken * 2] = ask.lease_ends, popped[i * 2 - 1]
        texts[taken * 2 - 1], texts[taken * 2] = id, run
        -- A lock of the same call must see this task as pending.
        if flag ~= 'P' then redis.call('HSET', q.runs, id, run) end
        reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4] = q.index, id, epoch, attempt
        reply[at + 5], reply[at + 6], reply[at + 7], reply[at + 8] = failures, due, conflict, value
        at = at + 8
      end
    end
  end
  if taken > 0 then
    redis.call('HSET', q.runs, '', string.format('%.0f', q.epoch) .. '|')
    each_chunk('ZADD', q.pending, leases)
    each_chunk('HSET', q.runs, texts)
  end
  return taken
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
      L = L or library()
      L.hand_back_unheld(q, ask.runner, ask.cancelled_keep)
    end
    if #ask.declared > 0 then
      L = L or library()
      L.purge(q, q.kept)
      L.purge(q, q.dead)
      L.purge(q, q.cancelled)
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
        local popped = L.pop_unknown(q, ask.declared, most)
        local taken = #popped > 0 and lease(q, popped, ask, reply, false) or 0
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
        local got = lease(q, redis.call('ZPOPMIN', q.waiting, q.share), ask, reply, true)
        q.free = q.free + q.share - got
        asked, taken = asked + q.share, taken + got
      end
    end
    limit = limit - taken
    if asked == taken then break end
  end

  for i = 1, queue_count do
    local q = queues[i]
    reply[q.index + 1] = next_look(q)
    for _, run in ipairs(q.recovered or {}) do
      reply[#reply + 1] = q.index .. '!'
      for n = 1, 7 do reply[#reply + 1] = run[n] end
    end
  end
  return reply
end
