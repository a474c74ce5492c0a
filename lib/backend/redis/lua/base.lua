-- Stands at the head of every script but the short ones.
--
-- A call names the keys of its queues, 16 for each, in the order of queue_at, unless its script says which few it needs;
-- nothing else is touched. On a cluster the last key never exists: a server that is moving a slot refuses scripts that lack a
-- key, and must refuse all, since one that empties a key and then writes to it again would fail half done.
-- Values:
--   tasks[id]  F|prefix|enqueuedAt|expiresAt|retries|keepMs|token|lock RS job US +extra US scheduleId US slot US params
--              F is P for a plain task and X for one that can expire, has a lock, or has errors or notes to be forgotten;
--              a token equal to the id is left out;
--              lock is phase,onConflict,ttlMs,retryAfterMs,key; in a scheduleId % is %25 and US is %1F
--   runs[id]   S|epoch|attempt|failures|dueAt|cancelRequested|prefix|retries|F|finishedAt|runner, from the first claim on;
--              the runner is that of the run under way, or of the one that it ended with;
--              the epoch of a lease that ended stands behind a minus sign until the next claim;
--              F is C for one that a lock kept from running at its latest claim, N where it did so at every claim, X also
--              for one that has notes: its success then finds another run than its claim gave, and goes the long way;
--              S is p pending, w waiting or scheduled, d dead, k succeeded and kept, c cancelled, x parked
--   runs['']   epoch|pausedUntil: the latest epoch of the queue; '' where it is not paused, 'inf' where it is for good
--   notes      id:e the errors, id:r the result, id:w the reason, for a parked task with US and the fingerprint behind it;
--              id:p how far its run says that it is, id:l its lines, each a JSON text, with a line break between;
--              id:s of a schedule how its latest slots ended, the latest first, likewise
--   parkedBy   job US fingerprint US member: parked tasks by the definition that could not take them; none knew the job of
--              those without a fingerprint
--   schedules[id]  slot|firstSlot|lastSlot|fired|skipped|isPaused|declaredAt|version|a,b,c|lastTask job rule template: the
--              last four stand behind each other with nothing between, the first three of a, b and c bytes; what there is
--              not is ''; the version is the time in microseconds of the put that changed it last, or more
--   slots      the ids of schedules by the time at which to look at them: the next slot, later where a schedule was
--              deferred, never (inf) where it is paused
--   stats      j and a job: succeeded|failed|dead|cancelled|lost|runMs|waitMs|lastRunAt|lastFailureAt|lastError;
--              m and a minute (from 1970, modulo 60): that minute and the first seven; h and an hour (modulo 168): likewise
-- A member of the other sorted sets is prefix:id; the prefix is the arrival number, with the priority behind it unless that is 0,
-- so that equal scores stand in order of arrival.
local RS, US = '\30', '\31'
local KEYS_PER_QUEUE = 16
local PRIORITY_STEP = 4398046511104 -- 2^42 milliseconds: a waiting score is priority, then due time
local CHUNK = 500 -- unpack fails at some thousands
local MOVES = 1000 -- most tasks of one kind that a call moves

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(now_us / 1000)

local function int(number)
  return string.format('%.0f', number)
end

local function queue_at(index)
  local o = (index - 1) * KEYS_PER_QUEUE
  return {
    waiting = KEYS[o + 1], scheduled = KEYS[o + 2], pending = KEYS[o + 3], dead = KEYS[o + 4],
    parked = KEYS[o + 5], kept = KEYS[o + 6], cancelled = KEYS[o + 7], parked_by = KEYS[o + 8],
    tasks = KEYS[o + 9], runs = KEYS[o + 10], notes = KEYS[o + 11], locks = KEYS[o + 12],
    meta = KEYS[o + 13], schedules = KEYS[o + 14], slots = KEYS[o + 15], stats = KEYS[o + 16],
  }
end

-- Calls a command that takes many members, some at a time.
local function each_chunk(command, key, list)
  for from = 1, #list, CHUNK * 2 do
    redis.call(command, key, unpack(list, from, math.min(from + CHUNK * 2 - 1, #list)))
  end
end

local function read_all(key, fields)
  local values = {}
  for from = 1, #fields, CHUNK do
    local some = redis.call('HMGET', key, unpack(fields, from, math.min(from + CHUNK - 1, #fields)))
    for i = 1, #some do
      values[from + i - 1] = some[i]
    end
  end
  return values
end

