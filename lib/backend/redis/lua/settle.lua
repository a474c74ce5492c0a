-- Writes the outcomes of runs, in order; an outcome whose epoch is no longer the task's changes nothing.
-- KEYS  the keys of each queue
-- ARGV  the number of queues, cancelledKeepMs; then per queue its number (1 the first), a count and,
--       per outcome, id, epoch, kind, a, b. The kind is in capitals where the
--       outcome is offered again:
--         s succeeded (a keepMs, b '+' and the result, or '')    r retry (a delayMs, b error)    d dead (a keepMs, b error)
--         c cancelled (a keepMs, b reason)                       z snoozed or conflict (a delayMs)
--         h handed back                                          x parked (a fingerprint or '', b reason)
--       or n: no outcome, but what the run of the next one had still to say (a progress or '', b lines or '')
-- reply one letter per outcome: s settled, c cancelled instead, l lost; n for what was no outcome

-- Reads its arguments from `at` on; answers the letters and where the arguments after its own begin.
local function settle(at)
  local queue_count, cancelled_keep = tonumber(ARGV[at]), ARGV[at + 1]
  local letters = {}
  at = at + 2
  for _ = 1, queue_count do
    local q, count = queue_at(tonumber(ARGV[at])), tonumber(ARGV[at + 1])
    local ids = {}
    for i = 1, count do ids[i] = ARGV[at - 3 + i * 5] end
    local texts, seen = read_all(q.runs, ids), {}
    local members, gone, said = {}, {}, nil
    for i = 1, count do
      local from, id = at - 3 + i * 5, ids[i]
      local kind, keep, text = ARGV[from + 2], ARGV[from + 3], texts[i]
      -- The same task twice in a call: the second must see what the first has done.
      if seen[id] and kind ~= 'n' then
        each_chunk('HDEL', q.runs, gone)
        each_chunk('HDEL', q.tasks, gone)
        text = redis.call('HGET', q.runs, id)
      end
      if kind ~= 'n' then seen[id] = true end
      local is_repeat = kind == string.upper(kind)
      local state, epoch, failures, prefix, flag
      if text then
        state, epoch, failures, prefix, flag =
          string.match(text, '^(.)|([^|]*)|[^|]*|([^|]*)|[^|]*|[^|]*|([^|]*)|[^|]*|([^|]*)|')
      end
      local letter = 's'
      if kind == 'n' then
        letter = 'n'
      elseif not text then
        -- Gone, and settled so if this is a repeat; or another task of this id, which was never claimed.
        letter = is_repeat and redis.call('HEXISTS', q.tasks, id) == 0 and 's' or 'l'
      elseif epoch ~= ARGV[from + 1] then
        letter = 'l'
        if epoch == '-' .. ARGV[from + 1] then
          L = L or library()
          letter = L.settle_late(q, id, L.parse_run(text), string.lower(kind), keep, ARGV[from + 4], said)
        end
      elseif state ~= 'p' then
        letter = is_repeat and 's' or 'l'
        if is_repeat and kind ~= 'S' and string.find(text, '^c|[^|]*|[^|]*|[^|]*|[^|]*|1|') then letter = 'c' end
      elseif (kind == 's' or kind == 'S') and keep == '0' and flag == 'P' and failures == '0' then
        -- The short way: a plain task that succeeded and is not kept.
        members[#members + 1] = prefix .. ':' .. id
        gone[#gone + 1] = id
      else
        L = L or library()
        letter = L.apply(q, id, L.parse_run(text), string.lower(kind), keep, ARGV[from + 4], cancelled_keep, said) or 's'
      end
      said = kind == 'n' and { progress = keep, lines = ARGV[from + 4] } or nil
      letters[#letters + 1] = letter
    end
    each_chunk('ZREM', q.pending, members)
    each_chunk('HDEL', q.runs, gone)
    each_chunk('HDEL', q.tasks, gone)
    if L then
      if q.has_news then L.ring(q) end
      if q.earliest_due then L.ring_if_first(q, 0, q.earliest_due) end
    end
    at = at + 2 + count * 5
  end
  return table.concat(letters), at
end
