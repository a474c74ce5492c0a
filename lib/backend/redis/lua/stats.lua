-- What runs came to, per job, per span of time and per slot of a schedule; after common. Counts are succeeded, failed, dead, cancelled, lost, runMs,
-- waitMs.

local COUNTS, MINUTES, HOURS, KEPT_SLOTS = 7, 60, 168, 20

local function add_counts(fields, from, counts)
  for i = 1, COUNTS do fields[from + i] = int((tonumber(fields[from + i]) or 0) + counts[i]) end
end

-- The fields of the spans are used again in turn, so there are never more of them.
local function count_in_span(q, letter, span, most, counts)
  local field, number = letter .. int(span % most), int(span)
  local fields = split(redis.call('HGET', q.stats, field) or '', '|')
  if fields[1] ~= number then fields = { number } end
  add_counts(fields, 1, counts)
  redis.call('HSET', q.stats, field, table.concat(fields, '|'))
end

local function count_in_job(q, job, counts, failure)
  local before = redis.call('HGET', q.stats, 'j' .. job) or ''
  local fields = split(before, '|')
  local last_error = table.concat(fields, '|', math.min(10, #fields + 1))
  add_counts(fields, 0, counts)
  fields[8] = int(now)
  fields[9] = (counts[2] > 0 or failure ~= '') and int(now) or fields[9] or ''
  fields[10] = failure ~= '' and failure or last_error
  redis.call('HSET', q.stats, 'j' .. job, table.concat(fields, '|', 1, 10))
end

-- Runs of one queue: each is a job, its counts and its latest failure in a line or ''.
local function count_runs(q, runs)
  local all = { 0, 0, 0, 0, 0, 0, 0 }
  for i = 1, #runs do
    count_in_job(q, runs[i].job, runs[i].counts, runs[i].failure)
    for n = 1, COUNTS do all[n] = all[n] + runs[i].counts[n] end
  end
  count_in_span(q, 'm', math.floor(now / 60000), MINUTES, all)
  count_in_span(q, 'h', math.floor(now / 3600000), HOURS, all)
end

local function slot_in(text)
  return tonumber(string.match(text, '^{"slot":(%-?%d+)'))
end

-- The latest slot first; of one that ended anew only the latest end. They go with their schedule.
local function note_slot(q, id, slot, task, outcome)
  if redis.call('HEXISTS', q.schedules, id) == 0 then return end
  local before, after, is_in = redis.call('HGET', q.notes, id .. ':s') or '', {}, false
  local entry = '{"slot":' .. slot .. ',"task":' .. cjson.encode(task) .. ',"outcome":"' .. outcome .. '","at":' .. int(now) .. '}'
  slot = tonumber(slot)
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
