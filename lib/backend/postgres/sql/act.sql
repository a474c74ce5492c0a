-- Ends a task that does not run; one that does is asked to stop. The caller has it in hand.
CREATE OR REPLACE FUNCTION stop(task tasks, why text, cancelled_keep bigint, now bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF task.state = 'pending' THEN
    UPDATE tasks t SET cancel_requested = true WHERE t.queue = task.queue AND t.id = task.id;
    RETURN 'requested';
  END IF;
  IF task.state NOT IN ('scheduled', 'waiting', 'parked') THEN RETURN 'left'; END IF;
  PERFORM moved(task.queue, task.state, finish(task, 'cancelled', end_of(now, cancelled_keep), why, now));
  RETURN 'done';
END $$;

-- Starts a task anew whose lock, if it had one from its enqueue on, is free. It expires no more: it is to run, however late that is.
CREATE OR REPLACE FUNCTION retry(task tasks, now bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  locks boolean := coalesce(task.lock_phase <> 'while_executing', false);
BEGIN
  IF task.state NOT IN ('dead', 'cancelled', 'parked') THEN RETURN 'left'; END IF;
  IF locks THEN
    UPDATE tasks t SET held_key = NULL
      WHERE t.queue = task.queue AND t.held_key = task.lock_key AND t.id <> task.id AND lock_is_over(t, now);
    IF EXISTS (
      SELECT FROM tasks t WHERE t.queue = task.queue AND t.held_key = task.lock_key AND t.id <> task.id
    ) THEN RETURN 'taken'; END IF;
  END IF;
  UPDATE tasks t SET
    state = 'waiting', due_at = now, expires_at = NULL, attempt = 0, failures = 0, epoch = 0, lost_epoch = 0, in_conflict = false,
    only_conflicts = false, result = NULL, reason = NULL, progress = NULL, lines = NULL,
    fingerprint = NULL, parking = NULL, finished_at = NULL, remove_at = NULL, cancel_requested = false, runner = NULL,
    held_key = CASE WHEN locks THEN t.lock_key END
  WHERE t.queue = task.queue AND t.id = task.id;
  PERFORM moved(task.queue, task.state, 'waiting');
  RETURN 'done';
EXCEPTION WHEN unique_violation OR lock_not_available THEN
  -- Another has it, or an open transaction is about to give it to another.
  RETURN 'taken';
END $$;

-- A task for an act, in this transaction's hands from now on. None: there is none, or, where it `is_held`, another transaction has it
-- in hand for longer than a moment.
CREATE OR REPLACE FUNCTION take_task(asked_queue text, asked_id text, now bigint, OUT task tasks, OUT is_held boolean) LANGUAGE plpgsql AS $$
BEGIN
  is_held := false;
  SELECT * INTO task FROM tasks t WHERE t.queue = asked_queue AND t.id = asked_id AND (t.remove_at IS NULL OR t.remove_at > now)
    FOR UPDATE SKIP LOCKED;
  IF task.id IS NOT NULL OR NOT EXISTS (SELECT FROM tasks t WHERE t.queue = asked_queue AND t.id = asked_id) THEN RETURN; END IF;
  BEGIN
    SELECT * INTO task FROM tasks t WHERE t.queue = asked_queue AND t.id = asked_id AND (t.remove_at IS NULL OR t.remove_at > now)
      FOR UPDATE;
  EXCEPTION WHEN lock_not_available THEN
    is_held := true;
  END;
END $$;

-- Does something to tasks. Argument: { act: retry | cancel | remove | runNow, cancelledKeep, refs: [[queue, id, the state it must be in or null] …] }.
-- Answer: per task what became of it.
CREATE OR REPLACE FUNCTION act_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  now bigint := now_ms();
  answers text[] := '{}';
  ref json;
  taken record;
  task tasks;
  waits integer := 0;
BEGIN
  FOR ref IN SELECT json_array_elements(said -> 'refs') LOOP
    taken := take_task(ref ->> 0, ref ->> 1, now);
    task := taken.task;
    IF taken.is_held THEN
      waits := waits + 1;
      -- Whoever has several in hand keeps them: no more is waited for.
      IF waits = 3 THEN PERFORM set_config('lock_timeout', '1ms', true); END IF;
    END IF;
    answers := answers || CASE
      WHEN taken.is_held THEN 'left'
      WHEN task.id IS NULL THEN 'missing'
      WHEN task.state <> ref ->> 2 THEN 'left'
      WHEN said ->> 'act' = 'retry' THEN retry(task, now)
      WHEN said ->> 'act' = 'cancel' THEN stop(task, 'cancelled', (said ->> 'cancelledKeep')::bigint, now)
      WHEN said ->> 'act' = 'remove' THEN remove_task(task)
      ELSE run_now(task, now)
    END;
  END LOOP;
  RETURN array_to_json(answers)::text;
END $$ SET search_path FROM CURRENT SET lock_timeout = '200ms';

CREATE OR REPLACE FUNCTION remove_task(task tasks) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF task.state = 'pending' THEN RETURN 'left'; END IF;
  DELETE FROM tasks t WHERE t.queue = task.queue AND t.id = task.id;
  PERFORM moved(task.queue, task.state, NULL);
  RETURN 'done';
END $$;

CREATE OR REPLACE FUNCTION run_now(task tasks, now bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF task.state <> 'scheduled' THEN RETURN 'left'; END IF;
  UPDATE tasks t SET state = 'waiting', due_at = now WHERE t.queue = task.queue AND t.id = task.id;
  PERFORM moved(task.queue, 'scheduled', 'waiting');
  RETURN 'done';
END $$;
