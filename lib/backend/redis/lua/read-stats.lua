-- Reads figures. After base.
-- KEYS  per queue: notes, stats
-- ARGV  jobs | throughput | slots, the id of a schedule
-- reply now; then for jobs, per job, the number of its queue (0 the first), its name and its figures; for throughput, of one
--       queue, the names and values of its minutes and hours; for slots how the schedule's latest ones ended, or ''

if ARGV[1] == 'slots' then return { int(now), redis.call('HGET', KEYS[1], ARGV[2] .. ':s') or '' } end

-- The fields that begin with one of some letters; a scan may bring one twice.
local function fields_of(key, letters)
  local found, cursor = {}, '0'
  repeat
    local scanned = redis.call('HSCAN', key, cursor, 'COUNT', CHUNK)
    cursor = scanned[1]
    for i = 1, #scanned[2], 2 do
      if string.find(letters, string.sub(scanned[2][i], 1, 1), 1, true) then found[scanned[2][i]] = scanned[2][i + 1] end
    end
  until cursor == '0'
  return found
end

local reply = { int(now) }
for index = 0, #KEYS - #KEYS % 2 - 2, 2 do
  for field, value in pairs(fields_of(KEYS[index + 2], ARGV[1] == 'jobs' and 'j' or 'mh')) do
    if ARGV[1] == 'jobs' then
      reply[#reply + 1] = index / 2
      reply[#reply + 1] = string.sub(field, 2)
    else
      reply[#reply + 1] = field
    end
    reply[#reply + 1] = value
  end
end
return reply
