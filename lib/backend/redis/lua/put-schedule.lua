-- Stores a schedule, unless one of its id is to stay. After common and schedule.
-- KEYS  the keys of the queue
-- ARGV  absent | changed | always, id, first slot or 'now', whether it is declared (1 or 0), job, rule, template
-- reply stored, existing or replaced

local q, when = queue_at(1), ARGV[1]
local existing = read_schedule(q, ARGV[2])
if existing and when == 'absent' then return 'existing' end

local s = existing or { id = ARGV[2], last = '', fired = 0, skipped = 0, is_paused = false, last_task = '' }
local stays = existing and when == 'changed' and s.rule == ARGV[6]
s.job, s.rule, s.template = ARGV[5], ARGV[6], ARGV[7]
if ARGV[4] == '1' then
  s.declared_at = int(now)
elseif not stays then
  s.declared_at = ''
end

if stays then
  write_schedule(q, s)
  local is_deferred = not s.is_paused and tonumber(redis.call('ZSCORE', q.slots, s.id)) ~= tonumber(s.slot)
  if is_deferred then
    place_schedule(q, s)
    ring(q, 's')
  end
  return 'existing'
end

s.slot = ARGV[3] == 'now' and int(now) or ARGV[3]
s.first = s.slot
write_schedule(q, s)
place_schedule(q, s)
ring(q, 's')
return existing and 'replaced' or 'stored'
