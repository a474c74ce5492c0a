-- Adds what a runner has seen to the figures of its queues. After common and stats.
-- KEYS  per queue: notes, schedules, stats
-- ARGV  per queue: a count and, per job, its name, succeeded, failed, dead, cancelled, lost, runMs, waitMs, its latest failure
--       or ''; another count and, per slot of a schedule, the schedule's id, the slot, its task, and how that ended
-- reply nothing

local PER_JOB, PER_SLOT = 9, 4

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
    note_slot(q, ARGV[from], ARGV[from + 1], ARGV[from + 2], ARGV[from + 3])
  end
  at, index = at + 1 + tonumber(ARGV[at]) * PER_SLOT, index + 1
end
return 0
