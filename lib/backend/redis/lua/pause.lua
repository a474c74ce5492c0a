-- Stops, starts or asks about the claims from one queue.
-- KEYS  the keys of the queue
-- ARGV  pause, milliseconds or 'inf' | resume | ask
-- reply ask: 1 where it is paused, else 0

local q = queue_at(1)
if ARGV[1] == 'pause' then
  redis.call('HSET', q.meta, 'paused', ARGV[2] == 'inf' and 'inf' or int(now + tonumber(ARGV[2])))
  -- A runner that sleeps learns when the pause ends.
  ring(q)
elseif ARGV[1] == 'resume' then
  redis.call('HDEL', q.meta, 'paused')
  ring(q)
else
  local paused = redis.call('HGET', q.meta, 'paused')
  return paused and (paused == 'inf' or tonumber(paused) > now) and 1 or 0
end
return 0
