-- Adds what a runner has seen to the figures of its queues. After common and stats.
-- KEYS  per queue: notes, schedules, stats
-- ARGV  per queue: a count and, per job, its name, succeeded, failed, dead, cancelled, lost, runMs, waitMs, its latest failure
--       or ''; another count and, per slot of a schedule, the schedule's id, the slot, and how it ended, a JSON text that
--       begins with the slot
-- reply nothing

local KEPT_SLOTS, PER_JOB, PER_SLOT = 20, 9, 3

local function slot_in(text)
  return tonumber(string.match(text, '^{"slot":(%-?%d+)'))
end

-- The latest slot first; of one that ended anew only the latest end. They go with their schedule.
local function note_slot(q, id, slot, text)
  if redis.call('HEXISTS', q.schedules, id) == 0 then return end
  local before, after, is_in = redis.call('HGET', q.notes, id .. ':s') or '', {}, false
  local entry = string.sub(text, 1, -2) .. ',"at":' .. int(now) .. '}'
  for other in string.gmatch(before, '[^\n]+') do
    local other_slot = slot_in(other)
    if not is_in and other_slot <= slot then
      after[#after + 1], is_in = entry, true
    end
    if other_slot ~= slot then after[#after + 1] = other end
  end
  if not is_in then after[#after + 1] = entry end
  redis.call('HSET', q.notes, id .. ':s', table.concat(after, '\n', 1, math.min(#after, KEPT_SLOTS)))
end

local at, index = 1, 0
while ARGV[at] do
  local q = { notes = KEYS[index * 3 + 1], schedules = KEYS[index * 3 + 2], stats = KEYS[index * 3 + 3] }
  local runs = {}
  for i = 1, tonumber(ARGV[at]) do
    local from = at + 1 + (i - 1) * PER_JOB
    local run = { job = ARGV[from], counts = {}, failure = ARGV[from + 8] }
    for n = 1, COUNTS do run.counts[n] = tonumber(ARGV[from + n]) end
    runs[i] = run
  end
  if #runs > 0 then count_runs(q, runs) end
  at = at + 1 + #runs * PER_JOB
  for i = 1, tonumber(ARGV[at]) do
    local from = at + 1 + (i - 1) * PER_SLOT
    note_slot(q, ARGV[from], tonumber(ARGV[from + 1]), ARGV[from + 2])
  end
  at, index = at + 1 + tonumber(ARGV[at]) * PER_SLOT, index + 1
end
return 0
