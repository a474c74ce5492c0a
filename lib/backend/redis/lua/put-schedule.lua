-- Stores a schedule, unless one of its id is to stay. After common and schedule.
-- KEYS  the keys of the queue
-- ARGV  absent | replace, id, next slot or 'now', whether it is declared (1 or 0), job, rule, template, first slot or '' where
--       that is the next one; then, for one that is stored anew, last slot or '', whether it is paused (1 or 0)
-- reply stored, existing, replaced or passed

local q = queue_at(1)
local existing = read_schedule(q, ARGV[2])
if existing and ARGV[1] == 'absent' then return 'existing' end

local s = existing
  or { id = ARGV[2], last = ARGV[9], fired = 0, skipped = 0, is_paused = ARGV[10] == '1', last_task = '', version = '0' }
local stays = existing and s.rule == ARGV[6]
-- A slot that has been passed would be fired a second time.
if existing and not stays and ARGV[3] ~= 'now' and s.last ~= '' and tonumber(ARGV[3]) <= tonumber(s.last) then
  return 'passed'
end

if not stays or s.job ~= ARGV[5] or s.template ~= ARGV[7] then
  -- By the time one that was removed and put anew is another, too.
  s.version = int(math.max(now_us, tonumber(s.version) + 1))
end
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
s.first = ARGV[8] ~= '' and ARGV[8] or s.slot
write_schedule(q, s)
place_schedule(q, s)
ring(q, 's')
return existing and 'replaced' or 'stored'
