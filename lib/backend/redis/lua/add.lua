-- Stores tasks: new ones, and what an id or a lock makes of the others.
-- KEYS  the keys of each queue, then the memory of the caller's line
-- ARGV  the call's number in its line, the milliseconds for which it is remembered;
--       mode: i, or g where a conflict that raises stops the whole call; then per queue a count and, per task, id, head, rest
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

-- Many plain tasks with fresh ids: three commands for all of them.
local function add_plain(q, at, count)
  local ids = {}
  for i = 0, count - 1 do ids[i + 1] = ARGV[at + i * 3] end
  local existing = redis.call('HMGET', q.tasks, unpack(ids))
  local last = redis.call('HINCRBY', q.meta, 'arrival', count)
  local values, entries, seen = {}, {}, {}
  local score, header = int(1000 * PRIORITY_STEP + now), '|' .. int(now) .. '||'
  for i = 1, count do
    local id = ids[i]
    if not existing[i] and not seen[id] then
      seen[id] = true
      local prefix = string.format('%010x', last - count + i)
      values[#values + 1] = id
      values[#values + 1] = 'P|' .. prefix .. header .. ARGV[at + (i - 1) * 3 + 2]
      entries[#entries + 1] = score
      entries[#entries + 1] = prefix .. ':' .. id
      answer('e')
    else
      L = L or library()
      answer(L.add_one(q, id, 'P', ARGV[at + (i - 1) * 3 + 2]))
    end
  end
  if #values > 0 then
    redis.call('HSET', q.tasks, unpack(values))
    redis.call('ZADD', q.waiting, unpack(entries))
    q.added = (q.added or 0) + #entries / 2
  end
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
    local plain = 0
    while i + plain < count and plain < CHUNK and ARGV[at + 2 + (i + plain) * 3] == 'P' do plain = plain + 1 end
    if plain > 0 then
      add_plain(q, at + 1 + i * 3, plain)
      i = i + plain
    else
      L = L or library()
      answer(L.add_one(q, ARGV[at + 1 + i * 3], ARGV[at + 2 + i * 3], ARGV[at + 3 + i * 3]))
      i = i + 1
    end
  end
  if q.added or q.earliest_due then
    -- As in ring_if_first, without making it for a plain call.
    if not L and redis.call('ZCARD', q.waiting) <= q.added then
      redis.call('PUBLISH', string.sub(q.waiting, 1, -8) .. 'bell', '')
    elseif L then
      L.ring_if_first(q, q.added or 0, q.earliest_due)
    end
  end
  at, index = at + 1 + count * 3, index + 1
end
return remembered()
