-- The short way of a busy runner: stores the successes of plain tasks and takes the next plain ones. All that is unusual is
-- left as it is and said, for the scripts that can do everything. It stands alone, makes no functions and has few keys,
-- arguments and calls: for a single task those would cost more than the work itself. Every text that is made here is hashed
-- and collected again, which costs as much as looking up a task: what comes whole from the store goes back whole.
-- KEYS  per queue: waiting, scheduled, pending, tasks, runs
-- ARGV  leaseMs|limit|start|look|runner: start is the queue to begin with (0 the first); look is 0 where the one queue was
--       looked through for due tasks and lost leases a moment ago, else 1;
--       then per queue: its limit GS (-1: nothing is asked of it), and for each success its member GS and its run GS, as the
--       claim answered them
-- reply a text, each of its parts followed by GS:
--       the successes that are unusual, counted from 1 over the whole call, each followed by a comma;
--       per queue the milliseconds until there may be work again ('inf': only a bell can tell; 'odd': ask in full), a comma
--       and the number of its tasks; then per task, from the queue `start` on, its member and its run;
--       and behind the text the value of each task

local GS, PRIORITY_STEP = '\29', 4398046511104
local queue_count = #ARGV - 1
local lease_ms, limit, start, look, runner = string.match(ARGV[1], '^(%d+)|(%d+)|(%d+)|(%d)|(.*)$')
limit, look = tonumber(limit), look == '1'
local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(now_us / 1000)

-- Successes, queue by queue; what a queue says of itself is read along.
local odd, n, free, own = '', 0, {}, {}
for index = 1, queue_count do
  local o, text = index * 5 - 5, ARGV[index + 1]
  local from = string.find(text, GS, 1, true)
  free[index] = tonumber(string.sub(text, 1, from - 1))
  local fields, members, given, count = { '' }, {}, {}, 0
  while from < #text do
    local middle = string.find(text, GS, from + 1, true)
    local to = string.find(text, GS, middle + 1, true)
    local id_at = string.find(text, ':', from + 1, true) + 1
    count = count + 1
    fields[count + 1] = string.sub(text, id_at, middle - 1)
    members[count], given[count] = string.sub(text, from + 1, middle - 1), string.sub(text, middle + 1, to - 1)
    from = to
  end
  local runs = redis.call('HMGET', KEYS[o + 5], unpack(fields))
  own[index] = runs[1]
  local gone = 0
  for i = 1, count do
    -- Nothing has been done about the task since its claim: the epoch is the claim's, and nobody asked to cancel it.
    if runs[i + 1] == given[i] then
      gone = gone + 1
      fields[gone + 1], members[gone] = fields[i + 1], members[i]
    else
      odd = odd .. n + i .. ','
    end
  end
  n = n + count
  if gone > 0 then
    redis.call('ZREM', KEYS[o + 3], unpack(members, 1, gone))
    redis.call('HDEL', KEYS[o + 5], unpack(fields, 2, gone + 1))
    redis.call('HDEL', KEYS[o + 4], unpack(fields, 2, gone + 1))
  end
end

-- What time alone has brought about, and what there is to claim then.
local head, next_at, epochs, waits = { odd }, {}, {}, {}
for index = 1, queue_count do
  head[index + 1] = 'inf'
  waits[index] = 0
  if free[index] >= 0 then
    local o, lost_at, due_at = index * 5 - 5, math.huge, math.huge
    local epoch, paused = string.match(own[index] or '0|', '^(%d+)|(.*)$')
    if look then
      lost_at = tonumber(redis.call('ZRANGE', KEYS[o + 3], 0, 0, 'WITHSCORES')[2] or lost_at)
      due_at = tonumber(redis.call('ZRANGE', KEYS[o + 2], 0, 0, 'WITHSCORES')[2] or due_at)
    end
    if due_at <= now then
      local due = redis.call('ZRANGEBYSCORE', KEYS[o + 2], '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1000)
      local members, entries = {}, {}
      for i = 1, #due, 2 do
        local member = due[i]
        local prefix = string.sub(member, 1, string.find(member, ':', 1, true) - 1)
        local priority = #prefix > 10 and tonumber(string.sub(prefix, 11)) or 0
        members[#members + 1] = member
        entries[i] = string.format('%d', (priority + 1000) * PRIORITY_STEP + tonumber(due[i + 1]))
        entries[i + 1] = member
      end
      redis.call('ZREM', KEYS[o + 2], unpack(members))
      redis.call('ZADD', KEYS[o + 1], unpack(entries))
      due_at = tonumber(redis.call('ZRANGE', KEYS[o + 2], 0, 0, 'WITHSCORES')[2] or math.huge)
    end
    if lost_at <= now or paused ~= '' then
      head[index + 1] = 'odd'
    else
      next_at[index] = math.min(lost_at, due_at)
      epochs[index] = math.max(tonumber(epoch), now_us - 1)
      waits[index] = look and redis.call('ZCARD', KEYS[o + 1]) or math.huge
    end
  end
end

-- A share for each queue in turn, leftovers go round again.
local shares, left, is_open = {}, limit, true
while left > 0 and is_open do
  is_open = false
  local open = 0
  for index = 1, queue_count do
    if free[index] > 0 and waits[index] > 0 then open = open + 1 end
  end
  local each = math.max(math.floor(left / math.max(open, 1)), 1)
  for turn = 0, queue_count - 1 do
    local index = (turn + start) % queue_count + 1
    local share = math.min(each, free[index], waits[index], left)
    if share > 0 then
      shares[index] = (shares[index] or 0) + share
      free[index], waits[index], left = free[index] - share, waits[index] - share, left - share
      is_open = true
    end
  end
end

local reply, taken, tail = { '' }, 0, '|P||' .. runner
for turn = 0, queue_count - 1 do
  local index = (turn + start) % queue_count + 1
  local o, share = index * 5 - 5, shares[index]
  local popped = share and redis.call('ZPOPMIN', KEYS[o + 1], share) or {}
  local count = #popped / 2
  if count > 0 then
    local ids = {}
    for i = 1, count do
      local member = popped[i * 2 - 1]
      ids[i] = string.sub(member, string.find(member, ':', 1, true) + 1)
    end
    local values = redis.call('HMGET', KEYS[o + 4], unpack(ids))
    local runs = redis.call('HMGET', KEYS[o + 5], unpack(ids))
    local epoch, lease_ends = epochs[index], string.format('%d', now + lease_ms)
    local leases, texts, begin = {}, { '', '' }, taken
    local epoch_text, score, due_at, first
    for i = 1, count do
      local id, member, value = ids[i], popped[i * 2 - 1], values[i]
      local prefix, retries
      if value then prefix, retries = string.match(value, '^P|([^|]*)|[^|]*|[^|]*|([^|]*)|') end
      if not prefix or string.find(id, GS, 1, true) then
        next_at[index] = nil
        break
      end
      if popped[i * 2] ~= score then
        score = popped[i * 2]
        due_at = string.format('|%d|0|', math.fmod(score, PRIORITY_STEP))
        first = '|1|0' .. due_at
      end
      local counts = first
      if runs[i] then
        local attempt, failures = string.match(runs[i], '^.|[^|]*|([^|]*)|([^|]*)|')
        counts = '|' .. attempt + 1 .. '|' .. failures .. due_at
      end
      epoch = epoch + 1
      epoch_text = string.format('%d', epoch)
      local run = 'p|' .. epoch_text .. counts .. prefix .. '|' .. retries .. tail
      -- The last first: a short sorted set is searched from its head, and these all sort behind one another.
      leases[(count - i) * 2 + 1], leases[(count - i) * 2 + 2] = lease_ends, member
      texts[i * 2 + 1], texts[i * 2 + 2] = id, run
      taken = taken + 1
      head[queue_count + taken * 2], head[queue_count + taken * 2 + 1] = member, run
      reply[taken + 1] = value
    end
    if next_at[index] then
      texts[2] = epoch_text .. '|'
      redis.call('ZADD', KEYS[o + 3], unpack(leases))
      redis.call('HSET', KEYS[o + 5], unpack(texts))
      next_at[index] = math.min(next_at[index], tonumber(lease_ends))
    else
      -- One that has a lock, can expire or is broken: all of them go back to where they stood.
      local entries = {}
      for i = 1, count do entries[i * 2 - 1], entries[i * 2] = popped[i * 2], popped[i * 2 - 1] end
      redis.call('ZADD', KEYS[o + 1], unpack(entries))
      for i = begin + 1, taken do
        head[queue_count + i * 2], head[queue_count + i * 2 + 1], reply[i + 1] = nil, nil, nil
      end
      taken, count = begin, 0
      head[index + 1] = 'odd'
    end
  end
  if next_at[index] then
    if not look and count < share then
      -- Drained: the next thing to come may be one that was not looked for.
      local lost_at = redis.call('ZRANGE', KEYS[o + 3], 0, 0, 'WITHSCORES')[2]
      local due_at = redis.call('ZRANGE', KEYS[o + 2], 0, 0, 'WITHSCORES')[2]
      next_at[index] = math.min(tonumber(lost_at or math.huge), tonumber(due_at or math.huge))
      waits[index] = 0
    end
    if waits[index] > 0 then
      head[index + 1] = '0'
    elseif next_at[index] < math.huge then
      head[index + 1] = string.format('%d', math.max(next_at[index] - now, 0))
    end
  end
  head[index + 1] = head[index + 1] .. ',' .. count
end
head[#head + 1] = ''
reply[1] = table.concat(head, GS)
return reply
