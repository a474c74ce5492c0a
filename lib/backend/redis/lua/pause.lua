-- Stops, starts or asks about the claims from one queue.
-- KEYS  the keys of the queue
-- ARGV  pause, milliseconds or 'inf' | resume | ask
-- reply ask: 1 where it is paused, else 0

local q = queue_at(1)
local epoch, paused = string.match(redis.call('HGET', q.runs, '') or '0|', '^(%d+)|(.*)$')
if ARGV[1] == 'pause' then
  paused = ARGV[2] == 'inf' and 'inf' or int(now + tonumber(ARGV[2]))
  redis.call('HSET', q.runs, '', epoch .. '|' .. paused)
elseif ARGV[1] == 'resume' then
  redis.call('HSET', q.runs, '', epoch .. '|')
else
  return (paused == 'inf' or (tonumber(paused) or 0) > now) and 1 or 0
end
-- Whoever sleeps learns when the pause ends, or that it has.
ring(q)
ring(q, 's')
return 0
