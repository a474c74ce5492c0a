-- What is to be seen of queues at a glance; after base. No dearer for many tasks than for few.
-- KEYS  per queue: waiting, scheduled, pending, dead, parked, kept, cancelled, runs
-- reply per queue: scheduled, waiting, pending, succeeded, dead, cancelled, parked; the milliseconds since the one that has
--       been due longest of those that wait, or will at the next claim, became due, or ''; the milliseconds for which it is still paused ('inf': for good), or '';
--       how many are due of those that are scheduled

local PER_QUEUE = 8

-- Each priority has its own tasks in order of their due times: the first of each is looked at, from priority to priority.
local function longest_due(waiting, scheduled)
  local due_at, from = tonumber(redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]) or math.huge, '-inf'
  if due_at > now then due_at = math.huge end
  while true do
    local first = redis.call('ZRANGEBYSCORE', waiting, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if not first then return due_at end
    local score = tonumber(first)
    local due = math.fmod(score, PRIORITY_STEP)
    due_at, from = math.min(due_at, due), int(score - due + PRIORITY_STEP)
  end
end

local past, reply = '(' .. int(now), {}
for o = 0, #KEYS - PER_QUEUE, PER_QUEUE do
  local n = #reply
  reply[n + 1], reply[n + 2] = redis.call('ZCARD', KEYS[o + 2]), redis.call('ZCARD', KEYS[o + 1])
  reply[n + 3] = redis.call('ZCARD', KEYS[o + 3])
  reply[n + 4] = redis.call('ZCOUNT', KEYS[o + 6], past, '+inf')
  reply[n + 5] = redis.call('ZCOUNT', KEYS[o + 4], past, '+inf')
  reply[n + 6] = redis.call('ZCOUNT', KEYS[o + 7], past, '+inf')
  reply[n + 7] = redis.call('ZCARD', KEYS[o + 5])
  local due_at = longest_due(KEYS[o + 1], KEYS[o + 2])
  reply[n + 8] = due_at < math.huge and int(math.max(now - due_at, 0)) or ''
  local paused = string.match(redis.call('HGET', KEYS[o + 8], '') or '', '|(.*)$') or ''
  local is_ending = paused ~= 'inf' and (tonumber(paused) or 0) > now
  reply[n + 9] = is_ending and int(tonumber(paused) - now) or paused == 'inf' and paused or ''
  reply[n + 10] = redis.call('ZCOUNT', KEYS[o + 2], '-inf', int(now))
end
return reply
