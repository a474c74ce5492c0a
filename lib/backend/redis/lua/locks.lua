-- Shows the unique locks of one queue that are held, and frees one. After common.
-- KEYS  the keys of the queue
-- ARGV  get, key | release, key, the id of the task that must hold it or ''
--       | list, limit, cursor, key: where to go on, as the last answer said, or 0 and ''
-- reply get: holder, phase, or nothing. release: 1 where it was held, else 0.
--       list: where to go on, as cursor ('' at the end) and key; then per lock key, holder, phase

local q = queue_at(1)

if ARGV[1] == 'get' then
  local id, holder = holder_of(q, ARGV[2])
  return id and { id, holder.given.lock.phase } or {}
end

if ARGV[1] == 'release' then
  local id = holder_of(q, ARGV[2])
  if not id or (ARGV[3] ~= '' and ARGV[3] ~= id) then return 0 end
  return redis.call('HDEL', q.locks, ARGV[2])
end

-- A scan may bring more than it is asked for: what is over is left, by key, to another scan from the same place.
local limit, cursor, after = tonumber(ARGV[2]), ARGV[3], ARGV[4]
local scanned = redis.call('HSCAN', q.locks, cursor, 'COUNT', math.min(limit, CHUNK))
local keys = {}
for i = 1, #scanned[2], 2 do
  if scanned[2][i] > after then keys[#keys + 1] = scanned[2][i] end
end
table.sort(keys)
local reply = { scanned[1] == '0' and '' or scanned[1], '' }
for i = 1, #keys do
  if i > limit then
    reply[1], reply[2] = cursor, keys[limit]
    break
  end
  local id, holder = holder_of(q, keys[i])
  if id then
    local at = #reply
    reply[at + 1], reply[at + 2], reply[at + 3] = keys[i], id, holder.given.lock.phase
  end
end
return reply
