-- How schedules are read and written; after base.

local function parse_schedule(id, text)
  local slot, first, last, fired, skipped, paused, declared, version, a, b, c, at =
    string.match(text, '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(%d+),(%d+),(%d+)|()')
  local job_at = at + tonumber(a)
  local rule_at = job_at + tonumber(b)
  local template_at = rule_at + tonumber(c)
  return {
    id = id, slot = slot, first = first, last = last, fired = tonumber(fired), skipped = tonumber(skipped),
    is_paused = paused == '1', declared_at = declared, version = version,
    last_task = string.sub(text, at, job_at - 1), job = string.sub(text, job_at, rule_at - 1),
    rule = string.sub(text, rule_at, template_at - 1), template = string.sub(text, template_at),
  }
end

local function read_schedule(q, id)
  local text = redis.call('HGET', q.schedules, id)
  return text and parse_schedule(id, text)
end

local function head_of(s)
  return s.slot .. '|' .. s.first .. '|' .. s.last .. '|' .. int(s.fired) .. '|' .. int(s.skipped) .. '|'
    .. (s.is_paused and '1' or '0') .. '|' .. s.declared_at .. '|' .. s.version
end

local function write_schedule(q, s)
  local lengths = #s.last_task .. ',' .. #s.job .. ',' .. #s.rule
  redis.call('HSET', q.schedules, s.id, head_of(s) .. '|' .. lengths .. '|' .. s.last_task .. s.job .. s.rule .. s.template)
end

-- Where a schedule stands by what it says of itself; a deferral is over then.
local function place_schedule(q, s)
  redis.call('ZADD', q.slots, s.is_paused and '+inf' or s.slot, s.id)
end

local function remove_schedule(q, id)
  redis.call('ZREM', q.slots, id)
  -- Whoever finds a stray one has few keys.
  if q.notes then redis.call('HDEL', q.notes, id .. ':s') end
  return redis.call('HDEL', q.schedules, id) == 1
end

-- Writes id, head, lastTask, job, rule, template to a reply, as they stand in the text; the head is all before the lengths.
local function tell_schedule(reply, id, text)
  local head, a, b, c, at =
    string.match(text, '^([^|]*|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*)|(%d+),(%d+),(%d+)|()')
  local n, job_at = #reply, at + a
  local rule_at = job_at + b
  local template_at = rule_at + c
  reply[n + 1], reply[n + 2], reply[n + 3] = id, head, string.sub(text, at, job_at - 1)
  reply[n + 4], reply[n + 5] = string.sub(text, job_at, rule_at - 1), string.sub(text, rule_at, template_at - 1)
  reply[n + 6] = string.sub(text, template_at)
end
