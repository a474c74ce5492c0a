-- What is done to schedules of one queue beside firing them. After common and schedule.
-- KEYS  the keys of the queue
-- ARGV  declare | remove | pause, '' | defer, milliseconds | resume, next slot;
--       then per schedule its id and what must be so: for defer and resume the slot at which it stands, for remove when it
--       was declared, or '' where that does not matter
-- reply per schedule 1 where it was done, 0 where it was left alone, -1 where there is none

local q, op, argument = queue_at(1), ARGV[1], ARGV[2]

local acts = {
  declare = function(s)
    if s.declared_at == '' then return false end
    s.declared_at = int(now)
    write_schedule(q, s)
    return true
  end,
  remove = function(s, declared_at)
    if declared_at ~= '' and s.declared_at ~= declared_at then return false end
    return remove_schedule(q, s.id)
  end,
  pause = function(s)
    s.is_paused = true
    write_schedule(q, s)
    place_schedule(q, s)
    return true
  end,
  defer = function(s, slot)
    if s.is_paused or s.slot ~= slot then return false end
    redis.call('ZADD', q.slots, int(math.max(tonumber(slot), now + tonumber(argument))), s.id)
    return true
  end,
  resume = function(s, slot)
    if not s.is_paused or s.slot ~= slot then return false end
    s.is_paused, s.slot = false, argument
    write_schedule(q, s)
    place_schedule(q, s)
    ring(q, 's')
    return true
  end,
}

local reply = {}
for i = 3, #ARGV, 2 do
  local s = read_schedule(q, ARGV[i])
  reply[#reply + 1] = not s and -1 or acts[op](s, ARGV[i + 1]) and 1 or 0
end
return reply
