-- Stores one task; answers `enqueued`, `existing`, `replaced` or `rejected`, with the task that was changed or stands in the
-- way. Where others are at the same id or lock, what they leave is looked at again.
CREATE OR REPLACE FUNCTION add_one(given new_task, now bigint, OUT status text, OUT holder text) LANGUAGE plpgsql AS $$
DECLARE
  existing tasks;
  other tasks;
  gone text;
  locks boolean := coalesce(given.phase <> 'while_executing', false);
BEGIN
  FOR try IN 1..100 LOOP
    SELECT * INTO existing FROM tasks t WHERE t.queue = given.queue AND t.id = given.id;
    IF existing.remove_at <= now THEN
      DELETE FROM tasks t WHERE t.queue = given.queue AND t.id = given.id AND t.remove_at <= now RETURNING t.state INTO gone;
      IF FOUND THEN PERFORM moved(given.queue, gone, NULL); END IF;
      CONTINUE;
    END IF;
    IF existing.id IS NOT NULL THEN
      IF coalesce(existing.token, existing.id) = coalesce(given.token, given.id) THEN
        status := 'enqueued';
        RETURN;
      END IF;
      IF existing.state = 'pending' OR (existing.state NOT IN ('dead', 'cancelled') AND given.replace IS NOT TRUE) THEN
        status := 'existing';
        RETURN;
      END IF;
      -- It gives way, unless it has moved on in this moment.
      SELECT * INTO existing FROM tasks t
        WHERE t.queue = given.queue AND t.id = given.id AND t.state = existing.state FOR UPDATE;
      CONTINUE WHEN existing.id IS NULL;
    END IF;

    IF locks THEN
      SELECT * INTO other FROM tasks t
        WHERE t.queue = given.queue AND t.held_key = given.key AND t.id <> given.id;
      IF other.id IS NOT NULL AND lock_is_over(other, now) THEN
        UPDATE tasks t SET held_key = NULL
          WHERE t.queue = other.queue AND t.id = other.id AND t.held_key = given.key AND lock_is_over(t, now);
        CONTINUE WHEN NOT FOUND;
      ELSIF other.id IS NOT NULL THEN
        holder := other.id;
        -- Not where the task of its own id is to be replaced: two would change then, or the wrong one.
        IF given.conflict = 'replace' AND (existing.id IS NULL OR given.replace IS NOT TRUE) AND (other.state = 'parked' OR (other.epoch = 0 AND other.attempt = 0)) THEN
          SELECT * INTO other FROM tasks t
            WHERE t.queue = other.queue AND t.id = other.id AND t.held_key = given.key AND t.state <> 'pending'
              AND (t.state = 'parked' OR (t.epoch = 0 AND t.attempt = 0)) FOR UPDATE;
          CONTINUE WHEN other.id IS NULL;
          -- It stays the one that its own enqueue has stored: a repeat of that must know it again.
          given.token := other.token;
          given.id := other.id;
          PERFORM start_anew(given, other.state, now);
          status := 'replaced';
          RETURN;
        END IF;
        status := 'rejected';
        RETURN;
      END IF;
    END IF;

    BEGIN
      IF existing.id IS NOT NULL AND given.replace THEN
        PERFORM start_anew(given, existing.state, now);
        status := 'replaced';
        RETURN;
      END IF;
      IF existing.id IS NOT NULL THEN
        DELETE FROM tasks t WHERE t.queue = given.queue AND t.id = given.id;
        PERFORM moved(given.queue, existing.state, NULL);
      END IF;
      PERFORM insert_all(json_build_array(given), now);
      status := 'enqueued';
      RETURN;
    EXCEPTION WHEN unique_violation THEN
      -- Another was first in this moment.
    END;
  END LOOP;
  RAISE EXCEPTION 'the id or the lock of task % changes hands too fast', given.id USING ERRCODE = 'serialization_failure';
END $$;

-- Puts a task that is there back to its beginning, as another enqueue describes it; arrival and time of enqueue stay.
CREATE OR REPLACE FUNCTION start_anew(given new_task, was text, now bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  due bigint := coalesce(given.at_ms, now + coalesce(given.in_ms, 0));
  becomes text := CASE WHEN due > now THEN 'scheduled' ELSE 'waiting' END;
BEGIN
  PERFORM moved(given.queue, was, becomes);
  UPDATE tasks t SET
    state = becomes, priority = coalesce(given.priority, 0), due_at = due,
    epoch = 0, lost_epoch = 0, in_conflict = false, only_conflicts = false, lease_ends_at = NULL, attempt = 0, failures = 0, retries = given.retries,
    cancel_requested = false, expires_at = coalesce(given.expires_at, due + given.expires_in), keep_ms = given.keep,
    finished_at = NULL, remove_at = NULL, slot = given.slot, parking = NULL, lock_ttl_ms = given.ttl,
    lock_retry_after_ms = given.retry_after, token = given.token, runner = NULL, lock_key = given.key,
    lock_phase = given.phase, lock_conflict = given.conflict,
    held_key = CASE WHEN given.phase <> 'while_executing' THEN given.key END,
    schedule_id = given.schedule, reason = NULL, fingerprint = NULL, job = given.job, extra = given.extra,
    params = given.params, result = NULL, errors = NULL, progress = NULL, lines = NULL
  WHERE t.queue = given.queue AND t.id = given.id;
END $$;

-- Stores tasks whose ids and locks are free; else it fails with a unique violation.
CREATE OR REPLACE FUNCTION insert_all(given json, now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH added AS (INSERT INTO tasks (
    queue, id, state, priority, due_at, enqueued_at, retries, expires_at, keep_ms, slot, lock_ttl_ms, lock_retry_after_ms,
    token, lock_key, lock_phase, lock_conflict, held_key, schedule_id, job, extra, params
  )
  SELECT
    g.queue, g.id, CASE WHEN g.due > now THEN 'scheduled' ELSE 'waiting' END, coalesce(g.priority, 0), g.due, now, g.retries,
    coalesce(g.expires_at, g.due + g.expires_in), g.keep, g.slot, g.ttl, g.retry_after, g.token, g.key, g.phase, g.conflict,
    CASE WHEN g.phase <> 'while_executing' THEN g.key END, g.schedule, g.job, g.extra, g.params
  FROM (
    SELECT *, coalesce(u.at_ms, now + coalesce(u.in_ms, 0)) AS due FROM json_populate_recordset(NULL::new_task, given) u
  ) g RETURNING tasks.queue, tasks.state)
  INSERT INTO moves SELECT count(*), a.queue, NULL, a.state FROM added a GROUP BY a.queue, a.state;
END $$;

-- Stores a task whose id and lock are free, and answers whether they were. As `insert_all`, which is cheaper where nothing can be in the way.
CREATE OR REPLACE FUNCTION insert_free(g new_task, now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  due bigint := coalesce(g.at_ms, now + coalesce(g.in_ms, 0));
  becomes text := CASE WHEN due > now THEN 'scheduled' ELSE 'waiting' END;
BEGIN
  INSERT INTO tasks (
    queue, id, state, priority, due_at, enqueued_at, retries, expires_at, keep_ms, slot, lock_ttl_ms, lock_retry_after_ms,
    token, lock_key, lock_phase, lock_conflict, held_key, schedule_id, job, extra, params
  ) VALUES (
    g.queue, g.id, becomes, coalesce(g.priority, 0), due, now, g.retries,
    coalesce(g.expires_at, due + g.expires_in), g.keep, g.slot, g.ttl, g.retry_after, g.token, g.key, g.phase, g.conflict,
    CASE WHEN g.phase <> 'while_executing' THEN g.key END, g.schedule, g.job, g.extra, g.params
  ) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM moved(g.queue, NULL, becomes);
  RETURN true;
END $$;

-- One after the other, as they are given; with a conflict that raises, none of them.
CREATE OR REPLACE FUNCTION add_group(given new_task[], now bigint) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  one new_task;
  added record;
  answers json[] := '{}';
  place integer := 0;
  raised_by text;
BEGIN
  FOREACH one IN ARRAY given LOOP
    place := place + 1;
    added := add_one(one, now);
    IF added.status = 'rejected' AND one.conflict = 'raise' THEN
      raised_by := added.holder;
      RAISE EXCEPTION 'raised' USING ERRCODE = 'NJ001';
    END IF;
    answers := answers || json_build_array(added.status, added.holder);
  END LOOP;
  RETURN array_to_json(answers);
EXCEPTION WHEN SQLSTATE 'NJ001' THEN
  RETURN (
    SELECT json_agg(CASE n WHEN place THEN json_build_array('raised', raised_by) ELSE json_build_array('dropped') END)
    FROM generate_series(1, cardinality(given)) n
  );
END $$;

-- Stores groups of tasks, each whole or not at all.
-- Argument: { call?, patience?, notify?, plain?, tasks: [task …], sizes?: [n …] }: how long to wait for another transaction, whether
-- all ids are fresh and there are no locks, tasks in the form of `new_task`, and how many of them make each group. Answer: nothing where all were enqueued, else a list of [status, holder?] in the order of the tasks.
-- A call that is known has been answered before, and is told the same again. With `notify` the bell rings when the
-- transaction commits, which only the database knows; else whoever calls rings it afterwards.
CREATE OR REPLACE FUNCTION add_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said record;
  now bigint := now_ms();
  reply text := '';
BEGIN
  -- All in one reading: there may be thousands of tasks.
  SELECT * INTO said FROM json_to_record(asked::json)
    AS s (call text, patience text, notify boolean, plain boolean, tasks json, sizes json);
  IF said.call IS NOT NULL THEN
    -- What an open transaction keeps is asked for again, rather than waited for with a connection in hand.
    PERFORM set_config('lock_timeout', coalesce(said.patience, '200ms'), true);
    INSERT INTO calls (call, at, answer) VALUES (said.call, now, '') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT c.answer INTO reply FROM calls c WHERE c.call = said.call;
      RETURN reply;
    END IF;
  END IF;
  IF said.notify THEN
    PERFORM ring('t', q.queue, '', NULL)
      FROM (SELECT DISTINCT t ->> 'queue' AS queue FROM json_array_elements(said.tasks) t) q;
  END IF;
  -- Without a subtransaction where it can be: those of a caller's transaction that has many slow down the whole server. What is
  -- added there is never repeated; what is added by itself may be there already.
  IF said.plain AND said.call IS NULL THEN
    PERFORM insert_all(said.tasks, now);
    RETURN '';
  ELSIF json_array_length(said.tasks) = 1 THEN
    IF insert_free(json_populate_record(NULL::new_task, said.tasks -> 0), now) THEN RETURN ''; END IF;
  ELSE
    BEGIN
      PERFORM insert_all(said.tasks, now);
      RETURN '';
    EXCEPTION WHEN unique_violation THEN
      -- Some id or lock is taken: each is looked at by itself.
    END;
  END IF;
  reply := add_groups(said.tasks, said.sizes, now);
  IF said.call IS NOT NULL THEN UPDATE calls c SET answer = reply WHERE c.call = said.call; END IF;
  RETURN reply;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET jit = off SET lock_timeout = '5s';

-- Stores one plain task, which is what most calls bring, and nearly all that a waiting runner is woken for: as `add_v1`, which needs
-- half as long again to read what it is asked. An empty text stands for what is not there; `extra`, which may be empty, has a + before it.
CREATE OR REPLACE FUNCTION add_one_v1(
  asked_call text, asked_queue text, asked_id text, job text, params text, extra text, priority integer, in_ms text, at_ms text,
  retries integer, expires_in text, expires_at text, keep text, schedule text, slot text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  now bigint := now_ms();
  due bigint := coalesce(nullif(at_ms, '')::bigint, now + coalesce(nullif(in_ms, '')::bigint, 0));
  becomes text := CASE WHEN due > now THEN 'scheduled' ELSE 'waiting' END;
  reply text := '';
BEGIN
  INSERT INTO calls (call, at, answer) VALUES (asked_call, now, '') ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    SELECT c.answer INTO reply FROM calls c WHERE c.call = asked_call;
    RETURN reply;
  END IF;
  INSERT INTO tasks (queue, id, state, priority, due_at, enqueued_at, retries, expires_at, keep_ms, schedule_id, slot, job, extra, params)
  VALUES (
    asked_queue, asked_id, becomes, priority, due, now, retries, coalesce(nullif(expires_at, '')::bigint, due + nullif(expires_in, '')::bigint),
    nullif(keep, '')::bigint, nullif(schedule, ''), nullif(slot, '')::bigint, job, substr(nullif(extra, ''), 2), params
  ) ON CONFLICT DO NOTHING;
  -- Its id was drawn for it: whoever has it is this task itself, from an earlier call.
  IF FOUND THEN INSERT INTO moves VALUES (1, asked_queue, NULL, becomes); END IF;
  RETURN reply;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET jit = off SET lock_timeout = '200ms';

CREATE OR REPLACE FUNCTION add_groups(tasks json, sizes json, now bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  given new_task[];
  answers text[] := '{}';
  size integer;
  start integer := 1;
  answer json;
BEGIN
  SELECT array_agg(t) INTO given FROM json_populate_recordset(NULL::new_task, tasks) t;
  FOR size IN SELECT n::integer FROM json_array_elements_text(sizes) n LOOP
    answer := add_group(given[start:start + size - 1], now);
    answers := answers || (SELECT array_agg(one::text) FROM json_array_elements(answer) one);
    start := start + size;
  END LOOP;
  RETURN '[' || array_to_string(answers, ',') || ']';
END $$;
