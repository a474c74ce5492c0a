-- What runs say about their tasks; after common.

local KEPT_LINES = 100

-- The progress, a JSON text or '', replaces the one before; lines, with breaks between them, or '', are added.
local function add_notes(q, id, run, progress, lines)
  if progress ~= '' then redis.call('HSET', q.notes, id .. ':p', progress) end
  if lines ~= '' then
    local before = redis.call('HGET', q.notes, id .. ':l')
    local all = before and before .. '\n' .. lines or lines
    local _, breaks = string.gsub(all, '\n', '')
    local from = 1
    for _ = 1, breaks + 1 - KEPT_LINES do from = string.find(all, '\n', from, true) + 1 end
    redis.call('HSET', q.notes, id .. ':l', string.sub(all, from))
  end
  -- The short way of a success knows nothing of notes: whoever has some goes the long one, which forgets them.
  if run.flag == 'P' then run.flag = 'X' end
end
