-- Puts tasks that another definition of their job has parked back to waiting. After common.
-- KEYS  the keys of the queue
-- ARGV  where to go on, as the last answer said: the number of a range and an entry of parkedBy, or 1 and '';
--       then per definition its job and fingerprint
-- reply how many; then, where there may be more, where to go on

local q = queue_at(1)
local range, after = tonumber(ARGV[1]), ARGV[2]
local count = 0

-- The entries of a job by every fingerprint but one are two ranges: those before it and those behind it. The number of a
-- range says which; those without a fingerprint stand before both.
local function bounds(number)
  local at = 1 + math.ceil(number / 2) * 2
  local job, own = ARGV[at], ARGV[at] .. US .. ARGV[at + 1]
  if number % 2 == 1 then return '[' .. job .. US .. '\32', '(' .. own .. US end
  return '[' .. own .. '\32', '(' .. job .. '\32'
end

local function put_back(entries)
  local ids, members, runs, waiting, reasons = {}, {}, {}, {}, {}
  for i = 1, #entries do
    members[i] = string.match(entries[i], US .. '[^' .. US .. ']*' .. US .. '(.*)')
    ids[i] = id_of(members[i])
  end
  local texts = read_all(q.runs, ids)
  for i = 1, #ids do
    local run = texts[i] and parse_run(texts[i])
    if run and run.state == 'x' then
      run.state = 'w'
      runs[#runs + 1], runs[#runs + 2] = ids[i], run_text(run)
      waiting[#waiting + 1], waiting[#waiting + 2] = score_of(run.prefix, run.due_at), members[i]
      reasons[#reasons + 1] = ids[i] .. ':w'
    end
  end
  each_chunk('ZREM', q.parked_by, entries)
  each_chunk('ZREM', q.parked, members)
  each_chunk('HDEL', q.notes, reasons)
  each_chunk('HSET', q.runs, runs)
  each_chunk('ZADD', q.waiting, waiting)
end

while range <= #ARGV - 2 and count < MOVES and redis.call('ZCARD', q.parked_by) > 0 do
  local min, max = bounds(range)
  if after ~= '' then min = '(' .. after end
  local found = redis.call('ZRANGEBYLEX', q.parked_by, min, max, 'LIMIT', 0, MOVES - count)
  put_back(found)
  count = count + #found
  if count == MOVES then after = found[#found] else range, after = range + 1, '' end
end

if count > 0 then ring(q) end
if count < MOVES then return { count } end
return { count, range, after }
