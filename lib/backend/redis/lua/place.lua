-- Pages of a sorted set that go on at a place in its order, that of a score and a member, whether that is still there or
-- not; after base.

-- Whether a text stands before another in a sorted set, which goes by bytes: Lua itself goes by the server's locale.
local function is_before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- How many members stand before a place; with `through` also the one that stands at it. Thousands may have the same score.
local function count_before(key, place, through)
  local from = redis.call('ZCOUNT', key, '-inf', '(' .. place.score)
  local to = redis.call('ZCOUNT', key, '-inf', place.score)
  while from < to do
    local middle = math.floor((from + to) / 2)
    local other = redis.call('ZRANGE', key, middle, middle)[1]
    if is_before(other, place.member) or (through and other == place.member) then from = middle + 1 else to = middle end
  end
  return from
end

-- The next members and scores from a place on (nil: the beginning), and whether there are more; the first `left_out` of all
-- do not count.
local function page_of(key, left_out, place, limit, is_backwards)
  local size, from, to = redis.call('ZCARD', key), left_out, nil
  if is_backwards then
    to = place and count_before(key, place, false) or size
    from = math.max(to - limit, left_out)
  else
    if place then from = math.max(count_before(key, place, true), left_out) end
    to = math.min(from + limit, size)
  end
  local page = {}
  if to <= from then return page, false end
  local found = redis.call('ZRANGE', key, from, to - 1, 'WITHSCORES')
  for i = 1, #found, 2 do
    local at = is_backwards and #found / 2 - (i - 1) / 2 or (i + 1) / 2
    page[at] = { member = found[i], score = found[i + 1] }
  end
  if is_backwards then return page, from > left_out end
  return page, to < size
end

-- The place that two arguments name, both '' for the beginning.
local function place_at(at)
  return ARGV[at] ~= '' and { score = ARGV[at], member = ARGV[at + 1] } or nil
end

-- As page_of, but in order of arrival, which no renewal changes: looks through all of the line, and keeps the best.
local function page_by_arrival(key, place, limit, is_backwards)
  local sign, page = is_backwards and -1 or 1, {}
  local after = place and sign * tonumber(string.sub(place.member, 1, 10), 16) or -math.huge
  local members = redis.call(is_backwards and 'ZREVRANGE' or 'ZRANGE', key, 0, -1)
  for i = 1, #members do
    local arrival = sign * tonumber(string.sub(members[i], 1, 10), 16)
    if arrival > after and (#page <= limit or arrival < page[#page].arrival) then
      local from, to = 1, #page + 1
      while from < to do
        local middle = math.floor((from + to) / 2)
        if page[middle].arrival < arrival then from = middle + 1 else to = middle end
      end
      table.insert(page, from, { member = members[i], score = '0', arrival = arrival })
      if #page > limit + 1 then page[#page] = nil end
    end
  end
  local has_more = #page > limit
  if has_more then page[#page] = nil end
  return page, has_more
end
