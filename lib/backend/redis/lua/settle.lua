-- Writes the outcomes of runs, in order; an outcome whose epoch is no longer the task's changes nothing.
-- KEYS  the keys of each queue
-- ARGV  the number of queues, cancelledKeepMs; then per queue its number (1 the first), a count and,
--       per outcome, id, epoch, kind, a, b. The kind is in capitals where the
--       outcome is offered again:
--         s succeeded (a keepMs, b '+' and the result, or '')    r retry (a delayMs, b error)    d dead (a keepMs, b error)
--         c cancelled (a keepMs, b reason)                       z snoozed or conflict (a delayMs)
--         h handed back                                          x parked (b reason)
-- reply one letter per outcome: s settled, l lost

local function give_back(run)
  run.attempt = run.attempt - 1
end

local function postpone(q, id, run, delay_ms)
  run.state, run.due_at, run.runner = 'w', now + tonumber(delay_ms), nil
  write_run(q, id, run)
  enter_by_due(q, run.prefix, id, run.due_at)
end

local function apply(q, id, run, kind, a, b, cancelled_keep)
  redis.call('ZREM', q.pending, run.prefix .. ':' .. id)
  local lock = lock_of(q, id, run.flag)
  if run.cancel and kind ~= 's' then return cancel_task(q, id, run, 'cancelled', cancelled_keep, lock) end
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
    give_back(run)
    postpone(q, id, run, a)
  elseif kind == 'h' then
    give_back(run)
    run.state, run.runner = 'w', nil
    write_run(q, id, run)
    redis.call('ZADD', q.waiting, score_of(run.prefix, run.due_at), run.prefix .. ':' .. id)
    q.has_news = true
  elseif kind == 'x' then
    give_back(run)
    run.state, run.runner = 'x', nil
    write_run(q, id, run)
    local member = run.prefix .. ':' .. id
    redis.call('ZADD', q.parked, int(now), member)
    redis.call('HSET', q.notes, id .. ':w', b)
    if b == 'unknown-job' then
      local job = string.match(redis.call('HGET', q.tasks, id), RS .. '([^' .. US .. ']*)')
      redis.call('ZADD', q.unknown, 0, job .. US .. member)
      q.has_news = true
    end
  end
end

-- Settles one task; answers its letter, and whether it is a plain success whose removal the caller gathers.
local function settle_one(q, id, epoch, kind, a, b, text, cancelled_keep)
  local is_repeat = kind == string.upper(kind)
  if not text then return is_repeat and 's' or 'l' end
  local state, held = string.match(text, '^(.)|([^|]*)|')
  if held ~= epoch then return 'l' end
  if state ~= 'p' then return is_repeat and 's' or 'l' end
  local run = parse_run(text)
  kind = string.lower(kind)
  if kind == 's' and a == '0' and run.flag == 'P' and run.failures == 0 then return 's', run end
  apply(q, id, run, kind, a, b, cancelled_keep)
  return 's'
end

-- Reads its arguments from `at` on; answers the letters and where the arguments after its own begin.
local function settle(at)
  local queue_count, cancelled_keep = tonumber(ARGV[at]), ARGV[at + 1]
  local letters = {}
  at = at + 2
  for _ = 1, queue_count do
    local q, count = queue_at(tonumber(ARGV[at])), tonumber(ARGV[at + 1])
    local ids = {}
    at = at + 1
    for i = 0, count - 1 do ids[i + 1] = ARGV[at + 1 + i * 5] end
    local texts, seen = read_all(q.runs, ids), {}
    local members, gone = {}, {}
    for i = 0, count - 1 do
      local from = at + 1 + i * 5
      local id = ids[i + 1]
      -- The same task twice in a call: the second must see what the first has done.
      if seen[id] then
        each_chunk('HDEL', q.runs, gone)
        texts[i + 1] = redis.call('HGET', q.runs, id)
      end
      seen[id] = true
      local letter, plain = settle_one(q, id, ARGV[from + 1], ARGV[from + 2], ARGV[from + 3], ARGV[from + 4],
        texts[i + 1], cancelled_keep)
      if plain then
        members[#members + 1] = plain.prefix .. ':' .. id
        gone[#gone + 1] = id
      end
      letters[#letters + 1] = letter
    end
    each_chunk('ZREM', q.pending, members)
    each_chunk('HDEL', q.runs, gone)
    each_chunk('HDEL', q.tasks, gone)
    if q.has_news then ring(q) end
    ring_if_first(q, 0, q.earliest_due)
    at = at + 1 + count * 5
  end
  return table.concat(letters), at
end
