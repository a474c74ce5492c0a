-- What runs came to, per job and per span of time; after common. Counts are succeeded, failed, dead, cancelled, lost, runMs,
-- waitMs.

local COUNTS, MINUTES, HOURS = 7, 61, 169

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
