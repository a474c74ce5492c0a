-- Ends a task, which stays until `removed`.
CREATE OR REPLACE FUNCTION finish(task tasks, ended text, removed bigint, why text, now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF removed <= now THEN
    DELETE FROM tasks t WHERE t.queue = task.queue AND t.id = task.id;
    RETURN;
  END IF;
  UPDATE tasks t SET
    state = ended, held_key = NULL, reason = why, finished_at = now, remove_at = removed, epoch = task.epoch,
    lost_epoch = task.lost_epoch, failures = task.failures, errors = task.errors, result = task.result,
    progress = task.progress, lines = task.lines, lease_ends_at = NULL, parking = NULL, fingerprint = NULL
  WHERE t.queue = task.queue AND t.id = task.id;
END $$;

-- Puts a task that was pending back: it is due after `delay`, or as it was where there is none.
CREATE OR REPLACE FUNCTION put_back(task tasks, delay bigint, now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks t SET
    state = CASE WHEN delay > 0 THEN 'scheduled' ELSE 'waiting' END, due_at = coalesce(now + delay, t.due_at),
    epoch = task.epoch, lost_epoch = task.lost_epoch, attempt = task.attempt, failures = task.failures,
    errors = task.errors, progress = task.progress, lines = task.lines, held_key = task.held_key, lease_ends_at = NULL
  WHERE t.queue = task.queue AND t.id = task.id;
END $$;

-- What an outcome does to a task that is pending.
CREATE OR REPLACE FUNCTION apply_outcome(task tasks, given settlement, now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF task.lock_phase = 'while_executing' OR (task.lock_phase = 'until_executed' AND given.type = 'retry') THEN
    task.held_key := NULL;
  END IF;
  IF given.type IN ('retry', 'dead') THEN
    task.failures := task.failures + 1;
    task.errors := with_error(task.errors, given.error, task.attempt, now);
  ELSIF given.type IN ('snoozed', 'conflict', 'handed-back', 'parked') THEN
    task.attempt := task.attempt - 1;
  END IF;
  CASE given.type
    WHEN 'succeeded' THEN
      task.result := given.result;
      PERFORM finish(task, 'succeeded', end_of(now, given.ms), NULL, now);
    WHEN 'dead' THEN
      PERFORM finish(task, 'dead', end_of(now, given.ms), NULL, now);
    WHEN 'cancelled' THEN
      PERFORM finish(task, 'cancelled', end_of(now, given.ms), given.reason, now);
    WHEN 'parked' THEN
      UPDATE tasks t SET
        state = 'parked', reason = given.reason, fingerprint = coalesce(given.fingerprint, ''), parking = nextval('parkings'),
        attempt = task.attempt, progress = task.progress, lines = task.lines, held_key = task.held_key, lease_ends_at = NULL
      WHERE t.queue = task.queue AND t.id = task.id;
    WHEN 'handed-back' THEN
      PERFORM put_back(task, NULL, now);
    ELSE
      PERFORM put_back(task, given.ms, now);
  END CASE;
END $$;

-- Writes an outcome, if the lease it comes from is still the task's; answers s (settled) or l (lost).
CREATE OR REPLACE FUNCTION settle_one(given settlement, cancelled_keep bigint, now bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  task tasks;
BEGIN
  SELECT * INTO task FROM tasks t
    WHERE t.queue = given.queue AND t.id = given.id AND (t.remove_at IS NULL OR t.remove_at > now) FOR UPDATE;
  IF task.id IS NULL THEN
    RETURN CASE WHEN given.is_repeat THEN 's' ELSE 'l' END;
  END IF;
  -- Of no effect below where the outcome has none.
  task.progress := coalesce(given.progress, task.progress);
  task.lines := with_lines(task.lines, given.lines);
  IF task.epoch <> given.epoch THEN
    -- A run that outlasted its lease: where nobody has claimed the task since, it need not be done again.
    IF task.lost_epoch <> given.epoch OR task.state NOT IN ('waiting', 'dead') OR given.type <> 'succeeded' THEN
      RETURN 'l';
    END IF;
    task.epoch := given.epoch;
    task.result := given.result;
    PERFORM finish(task, 'succeeded', end_of(now, given.ms), NULL, now);
    RETURN 's';
  END IF;
  IF task.state <> 'pending' THEN
    RETURN CASE WHEN given.is_repeat THEN 's' ELSE 'l' END;
  END IF;
  IF task.cancel_requested AND given.type <> 'succeeded' THEN
    PERFORM finish(task, 'cancelled', end_of(now, cancelled_keep), 'cancelled', now);
  ELSE
    PERFORM apply_outcome(task, given, now);
  END IF;
  RETURN 's';
END $$;

-- Writes outcomes in order. `queues`, `ids` and `epochs` tell the successes of tasks that are not kept, told for the first time;
-- `outcomes` have the form of `settlement`. Answers a letter for each, the done ones first.
CREATE OR REPLACE FUNCTION settle_all(
  queues text[], ids text[], epochs bigint[], outcomes json, cancelled_keep bigint, now bigint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  gone bigint[];
  letters text := '';
  one record;
BEGIN
  IF cardinality(ids) > 0 THEN
    WITH deleted AS (
      DELETE FROM tasks t USING unnest(queues, ids, epochs) WITH ORDINALITY AS d (queue, id, epoch, n)
      -- Pending, said so that only the primary key fits: the other indexes would be read from end to end.
      WHERE t.queue = d.queue AND t.id = d.id AND t.epoch = d.epoch AND t.lease_ends_at IS NOT NULL
      RETURNING d.n
    )
    SELECT array_agg(n) INTO gone FROM deleted;
    IF cardinality(gone) = cardinality(ids) THEN
      letters := repeat('s', cardinality(ids));
    ELSE
      FOR n IN 1..cardinality(ids) LOOP
        letters := letters || CASE WHEN n = ANY (gone) THEN 's' ELSE
          settle_one((queues[n], ids[n], epochs[n], 'succeeded', 0, NULL, NULL, NULL, NULL, false, NULL, NULL), cancelled_keep, now)
        END;
      END LOOP;
    END IF;
  END IF;
  IF outcomes IS NOT NULL THEN
    FOR one IN SELECT o FROM json_populate_recordset(NULL::settlement, outcomes) o LOOP
      letters := letters || settle_one(one.o, cancelled_keep, now);
    END LOOP;
  END IF;
  RETURN letters;
END $$;

-- Argument: { outcomes, cancelledKeep }. Answer: a letter for each.
CREATE OR REPLACE FUNCTION settle_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
BEGIN
  RETURN to_json(settle_all('{}', '{}', '{}', said -> 'outcomes', (said ->> 'cancelledKeep')::bigint, now_ms()))::text;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan
  SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
