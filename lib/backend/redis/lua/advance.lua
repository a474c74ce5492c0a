-- Moves schedules on and adds the tasks of their slots. After common, add-task and schedule.
-- KEYS  the keys of each queue
-- ARGV  cancelledKeepMs; then per queue a count and, per step, id, slot, version, next slot or '' where it ends, the latest
--       slot that is passed, overlap (skip | queue | replace), slots passed over, and the task's id, head and rest, each ''
--       where there is none
-- reply per step: l lost or a advanced; what add_one answers or ''; the other task that it names or ''; the task that was in
--       the way or ''

local cancelled_keep, PER_STEP = ARGV[1], 10

-- The task that the schedule made last, unless it has ended, or will without another run. One that is parked counts: the
-- next one would end there too, and so on without end.
local function live_task(q, s)
  local task = s.last_task ~= '' and find_task(q, s.last_task)
  if not task then return nil end
  if task.state == 'scheduled' or task.state == 'waiting' or task.state == 'parked' then return task end
  if task.state ~= 'pending' then return nil end
  local runs_again = not task.run.cancel and (is_in_conflict(task.run) or task.run.attempt <= task.run.retries)
  if runs_again or tonumber(redis.call('ZSCORE', q.pending, task.member) or 0) > now then return task end
end

-- The task that keeps the lock of a slot's task, unless that is the live one.
local function locked_out(q, live, rest)
  local lock = lock_in(rest)
  if not locks_at_enqueue(lock) then return nil end
  local id, holder = holder_of(q, lock.key)
  if id and id ~= live.id and not gives_way(holder, lock) then return id end
end

local function add_slot_task(q, s, overlap, id, head, rest)
  local live = overlap ~= 'queue' and live_task(q, s)
  local letter, other = '', nil
  if live and overlap == 'replace' then
    local holder = locked_out(q, live, rest)
    if holder then
      s.skipped = s.skipped + 1
      return 'j', holder, ''
    end
    local stopped = stop_task(q, live, 'replaced by the next slot', cancelled_keep)
    if stopped == 'requested' then ring(q, 'c' .. live.id) end
  end
  if not live or overlap == 'replace' then letter, other = add_one(q, id, head, rest) end
  if letter == 'e' or letter == 'r' then
    s.fired, s.last_task = s.fired + 1, other or id
  else
    s.skipped = s.skipped + 1
  end
  return letter, other or '', live and live.id or ''
end

local function step(q, at)
  local s = read_schedule(q, ARGV[at])
  if not s or s.is_paused or s.slot ~= ARGV[at + 1] or s.version ~= ARGV[at + 2] then return 'l', '', '', '' end
  s.slot, s.skipped = ARGV[at + 3], s.skipped + tonumber(ARGV[at + 6])
  if s.last == '' or tonumber(ARGV[at + 4]) > tonumber(s.last) then s.last = ARGV[at + 4] end
  local letter, other, overlaps = '', '', ''
  if ARGV[at + 8] ~= '' then
    letter, other, overlaps = add_slot_task(q, s, ARGV[at + 5], ARGV[at + 7], ARGV[at + 8], ARGV[at + 9])
  end
  if s.slot == '' then
    remove_schedule(q, s.id)
  else
    write_schedule(q, s)
    place_schedule(q, s)
  end
  return 'a', letter, other, overlaps
end

local reply = {}
local at, index = 2, 1
while ARGV[at] do
  local q, count, n = queue_at(index), tonumber(ARGV[at]), #reply
  for i = 0, count - 1 do
    reply[n + i * 4 + 1], reply[n + i * 4 + 2], reply[n + i * 4 + 3], reply[n + i * 4 + 4] = step(q, at + 1 + i * PER_STEP)
  end
  ring_if_first(q, q.added or 0, q.earliest_due)
  at, index = at + 1 + count * PER_STEP, index + 1
end
return reply
