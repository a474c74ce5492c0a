-- Which runners are alive. After base. The keys are those of a prefix, not of a queue.
-- KEYS  a hash of what runners say of themselves, a sorted set of their names by when they are taken for dead
-- ARGV  alive, name, the milliseconds without another sign after which it is taken for dead, what it says
--       | leave, name | list
-- reply list: per live runner startedAt|seenAt|what it says

local infos, ends = KEYS[1], KEYS[2]

if ARGV[1] == 'alive' then
  local name = ARGV[2]
  local before = redis.call('HGET', infos, name)
  local started_at = before and string.match(before, '^(%d+)|') or int(now)
  redis.call('HSET', infos, name, started_at .. '|' .. int(now) .. '|' .. ARGV[4])
  redis.call('ZADD', ends, int(now + tonumber(ARGV[3])), name)
  -- The living clear the dead away, more of them than can come.
  local dead = redis.call('ZRANGEBYSCORE', ends, '-inf', int(now), 'LIMIT', 0, CHUNK)
  each_chunk('HDEL', infos, dead)
  each_chunk('ZREM', ends, dead)
  return 0
end

if ARGV[1] == 'leave' then
  redis.call('HDEL', infos, ARGV[2])
  redis.call('ZREM', ends, ARGV[2])
  return 0
end

local names = redis.call('ZRANGEBYSCORE', ends, '(' .. int(now), '+inf')
local reply, found = {}, read_all(infos, names)
for i = 1, #names do
  if found[i] then reply[#reply + 1] = found[i] end
end
return reply
