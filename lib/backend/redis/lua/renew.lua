-- Prolongs leases from now on.
-- KEYS  the keys of each queue
-- ARGV  leaseMs; then per queue a count and, per lease, id, epoch
-- reply one letter per lease: k kept, c kept, but the task is asked to stop, l lost

local lease_ends = int(now + tonumber(ARGV[1]))
local letters = {}

local at, index = 2, 1
while ARGV[at] do
  local q, count = queue_at(index), tonumber(ARGV[at])
  -- A server whose memory is full refuses scripts that begin with a write that may need some, and this needs none.
  redis.call('ZREM', q.pending, '')
  local ids, entries = {}, {}
  for i = 0, count - 1 do ids[i + 1] = ARGV[at + 1 + i * 2] end
  local texts = read_all(q.runs, ids)
  for i = 1, count do
    local state, epoch, cancel, prefix
    if texts[i] then
      state, epoch, cancel, prefix = string.match(texts[i], '^(.)|([^|]*)|[^|]*|[^|]*|[^|]*|([^|]*)|([^|]*)|')
    end
    if state == 'p' and epoch == ARGV[at + i * 2] then
      entries[#entries + 1] = lease_ends
      entries[#entries + 1] = prefix .. ':' .. ids[i]
      letters[#letters + 1] = cancel == '1' and 'c' or 'k'
    else
      letters[#letters + 1] = 'l'
    end
  end
  each_chunk('ZADD', q.pending, entries)
  at, index = at + 1 + count * 2, index + 1
end
return table.concat(letters)
