-- Writes down what runs have said about their tasks; what is no longer the runner's is left alone. After common and notes.
-- KEYS  the keys of each queue
-- ARGV  per queue a count and, per run, id, epoch, progress or '', lines or ''
-- reply nothing

local at, index = 1, 1
while ARGV[at] do
  local q, count = queue_at(index), tonumber(ARGV[at])
  for i = 0, count - 1 do
    local from = at + 1 + i * 4
    local id = ARGV[from]
    local text = redis.call('HGET', q.runs, id)
    local run = text and parse_run(text)
    if run and run.state == 'p' and run.epoch == ARGV[from + 1] then
      add_notes(q, id, run, ARGV[from + 2], ARGV[from + 3])
      if run_text(run) ~= text then write_run(q, id, run) end
    end
  end
  at, index = at + 1 + count * 4, index + 1
end
return 0
