-- Stores tasks: new ones, and what an id or a lock makes of the others.
-- KEYS  the keys of each queue, then the memory of the caller's line
-- ARGV  the call's number in its line, the milliseconds for which it is remembered;
--       mode: i, or g where a conflict that raises stops the whole call; then per queue a count and, per task, id, head, rest;
--       or f for fresh tasks of one queue that are due now, all with a lock from their enqueue on: what their values have
--       before the key, then per task id, key, and what its value has behind the key
-- reply one letter per task (e enqueued, x existing, r replaced, j rejected, R raised, d dropped), then, for each r, j and R,
--       the other task's id or ''

-- A line has one call at a time. A repeat, also one whose tasks have run and gone, gets the answer of its first try, and a
-- first try that was overtaken by its repeat does nothing.
local memory = KEYS[#KEYS - #KEYS % KEYS_PER_QUEUE + 1]
local before = redis.call('GET', memory)
if before then
  local number, answer = string.match(before, '^(%d+),(.*)$')
  if number == ARGV[1] then return cmsgpack.unpack(answer) end
  if tonumber(number) > tonumber(ARGV[1]) then return {} end
end

local letters, others = {}, {}

local function answer(letter, other)
  letters[#letters + 1] = letter
  if letter == 'r' or letter == 'j' or letter == 'R' then others[#others + 1] = other or '' end
end

local function remembered()
  table.insert(others, 1, table.concat(letters))
  redis.call('SET', memory, ARGV[1] .. ',' .. cmsgpack.pack(others), 'PX', ARGV[2])
  return others
end

-- Many fresh tasks that are due now: few commands for all of them. One whose id or lock may be taken goes the long way, in
-- its turn. `shared` is what mode f says of all of them.
local function add_fresh(q, at, count, shared)
  local ids, keys, is_locking = {}, {}, false
  for i = 1, count do
    local head = ARGV[at + i * 3 - 2]
    -- Nobody holds a lock without a name.
    local key = shared and head or string.sub(head, 2)
    ids[i], keys[i], is_locking = ARGV[at + i * 3 - 3], key, is_locking or key ~= ''
  end
  local existing = redis.call('HMGET', q.tasks, unpack(ids))
  local holders = is_locking and redis.call('HMGET', q.locks, unpack(keys)) or {}
  local arrival = redis.call('HINCRBY', q.meta, 'arrival', count) - count
  local values, entries, locks, n, m = {}, {}, {}, 0, 0
  local score, stamp, format = int(1000 * PRIORITY_STEP + now), '|' .. int(now) .. '||', string.format
  local before_key = shared and stamp .. shared
  local function store()
    if n == 0 then return end
    redis.call('HSET', q.tasks, unpack(values))
    redis.call('ZADD', q.waiting, unpack(entries))
    if m > 0 then redis.call('HSET', q.locks, unpack(locks)) end
    letters[#letters + 1] = string.rep('e', n / 2)
    q.added = (q.added or 0) + n / 2
    values, entries, locks, n, m = {}, {}, {}, 0, 0
  end
  -- What this call has brought so far, by key, or by id where there is no key.
  local brought = {}
  for i = 1, count do
    local id, key, rest = ids[i], keys[i], ARGV[at + i * 3 - 1]
    local head = shared and 'U' or ARGV[at + i * 3 - 2]
    local mark = key ~= '' and key or id
    if existing[i] or holders[i] or brought[mark] then
      -- It must find what stands before it in this call.
      store()
      L = L or library()
      answer(L.add_one(q, id, head, shared and shared .. key .. rest or rest, arrival + i))
    else
      local prefix = format('%010x', arrival + i)
      -- In one go: every text that is made on the way costs as much as a command.
      values[n + 1], values[n + 2] = id, shared and 'X|' .. prefix .. before_key .. key .. rest
        or (head == 'P' and 'P|' or 'X|') .. prefix .. stamp .. rest
      entries[n + 1], entries[n + 2] = score, prefix .. ':' .. id
      n = n + 2
      if key ~= '' then
        locks[m + 1], locks[m + 2] = key, id
        m = m + 2
      end
    end
    brought[mark] = true
  end
  store()
end

-- As in ring_if_first, without making it for a call of fresh tasks.
local function ring_if_needed(q)
  if L then
    L.ring_if_first(q, q.added or 0, q.earliest_due)
  elseif q.added and redis.call('ZCARD', q.waiting) <= q.added then
    redis.call('PUBLISH', string.sub(q.waiting, 1, -8) .. 'bell', '')
  end
end

if ARGV[3] == 'f' then
  local q, count = queue_at(1), (#ARGV - 4) / 3
  for from = 0, count - 1, CHUNK do add_fresh(q, 5 + from * 3, math.min(CHUNK, count - from), ARGV[4]) end
  ring_if_needed(q)
  return remembered()
end

if ARGV[3] == 'g' then
  L = library()
  local raised, holder = L.find_raised()
  if raised then
    local at, n = 4, 0
    while ARGV[at] do
      for _ = 1, tonumber(ARGV[at]) do
        n = n + 1
        answer(n == raised and 'R' or 'd', holder)
      end
      at = at + 1 + tonumber(ARGV[at]) * 3
    end
    return remembered()
  end
end

local at, index = 4, 1
while ARGV[at] do
  local q, count = queue_at(index), tonumber(ARGV[at])
  local i = 0
  while i < count do
    local fresh = 0
    while i + fresh < count and fresh < CHUNK and string.sub(ARGV[at + 2 + (i + fresh) * 3], 1, 1) ~= 'S' do
      fresh = fresh + 1
    end
    if fresh > 0 then
      add_fresh(q, at + 1 + i * 3, fresh)
      i = i + fresh
    else
      L = L or library()
      answer(L.add_one(q, ARGV[at + 1 + i * 3], ARGV[at + 2 + i * 3], ARGV[at + 3 + i * 3]))
      i = i + 1
    end
  end
  ring_if_needed(q)
  at, index = at + 1 + count * 3, index + 1
end
return remembered()
