-- Ends a task, which stays until `removed`. Answers its state, none where it is gone: whoever calls counts that, see `moved`.
CREATE OR REPLACE FUNCTION finish(task tasks, ended text, removed bigint, why text, now bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF removed <= now THEN
    DELETE FROM tasks t WHERE t.queue = task.queue AND t.id = task.id;
    RETURN NULL;
  END IF;
  UPDATE tasks t SET
    state = ended, held_key = NULL, reason = why, finished_at = now, remove_at = removed, epoch = task.epoch,
    lost_epoch = task.lost_epoch, failures = task.failures, errors = task.errors, result = task.result,
    progress = task.progress, lines = task.lines, lease_ends_at = NULL, parking = NULL, fingerprint = NULL
  WHERE t.queue = task.queue AND t.id = task.id;
  RETURN ended;
END $$;

-- Puts a task that was pending back: it is due after `delay`, or as it was where there is none. Answers its state.
CREATE OR REPLACE FUNCTION put_back(task tasks, delay bigint, now bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  becomes text := CASE WHEN delay > 0 THEN 'scheduled' ELSE 'waiting' END;
BEGIN
  UPDATE tasks t SET
    state = becomes, due_at = coalesce(now + delay, t.due_at),
    epoch = task.epoch, lost_epoch = task.lost_epoch, attempt = task.attempt, failures = task.failures,
    errors = task.errors, progress = task.progress, lines = task.lines, held_key = task.held_key, lease_ends_at = NULL, runner = NULL
  WHERE t.queue = task.queue AND t.id = task.id;
  RETURN becomes;
END $$;

-- What an outcome does to a task that is pending. Answers its state, none where it is gone.
CREATE OR REPLACE FUNCTION apply_outcome(task tasks, given settlement, now bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF task.lock_phase = 'while_executing' OR (task.lock_phase = 'until_executed' AND given.type = 'retry') THEN
    task.held_key := NULL;
  END IF;
  IF given.type IN ('retry', 'dead') THEN
    task.failures := task.failures + 1;
    task.errors := with_error(task, given.error, now);
  ELSIF given.type IN ('snoozed', 'conflict', 'handed-back', 'parked') THEN
    task.attempt := task.attempt - 1;
  END IF;
  CASE given.type
    WHEN 'succeeded' THEN
      task.result := given.result;
      RETURN finish(task, 'succeeded', end_of(now, given.ms), NULL, now);
    WHEN 'dead' THEN
      RETURN finish(task, 'dead', end_of(now, given.ms), NULL, now);
    WHEN 'cancelled' THEN
      RETURN finish(task, 'cancelled', end_of(now, given.ms), given.reason, now);
    WHEN 'parked' THEN
      UPDATE tasks t SET
        state = 'parked', reason = given.reason, fingerprint = coalesce(given.fingerprint, ''), parking = nextval('parkings'),
        attempt = task.attempt, progress = task.progress, lines = task.lines, held_key = task.held_key, lease_ends_at = NULL,
        runner = NULL
      WHERE t.queue = task.queue AND t.id = task.id;
      RETURN 'parked';
    WHEN 'handed-back' THEN
      RETURN put_back(task, NULL, now);
    ELSE
      RETURN put_back(task, given.ms, now);
  END CASE;
END $$;

-- Writes an outcome, if the lease it comes from is still the task's; answers s (settled), c (cancelled instead), l (lost) or u
-- (unknown, since another transaction has the task in hand), and where the task moved, from where and to where, which whoever
-- calls counts.
CREATE OR REPLACE FUNCTION settle_one(
  given settlement, cancelled_keep bigint, now bigint, OUT letter text, OUT came_from text, OUT went_to text
) LANGUAGE plpgsql AS $$
DECLARE
  task tasks;
BEGIN
  SELECT * INTO task FROM tasks t
    WHERE t.queue = given.queue AND t.id = given.id AND (t.remove_at IS NULL OR t.remove_at > now) FOR UPDATE SKIP LOCKED;
  letter := CASE WHEN given.is_repeat THEN 's' ELSE 'l' END;
  IF task.id IS NULL THEN
    IF EXISTS (
      SELECT FROM tasks t WHERE t.queue = given.queue AND t.id = given.id AND (t.remove_at IS NULL OR t.remove_at > now)
    ) THEN letter := 'u'; END IF;
    RETURN;
  END IF;
  -- Of no effect below where the outcome has none.
  task.progress := coalesce(given.progress, task.progress);
  task.lines := with_lines(task.lines, given.lines);
  IF task.epoch <> given.epoch THEN
    -- A run that outlasted its lease: where nobody has claimed the task since, it need not be done again.
    IF task.lost_epoch <> given.epoch OR task.state NOT IN ('waiting', 'dead') OR given.type <> 'succeeded' THEN
      letter := 'l';
      RETURN;
    END IF;
    task.epoch := given.epoch;
    task.result := given.result;
    went_to := finish(task, 'succeeded', end_of(now, given.ms), NULL, now);
  ELSIF task.state <> 'pending' THEN
    IF given.is_repeat AND task.state = 'cancelled' AND task.cancel_requested AND given.type <> 'succeeded' THEN letter := 'c'; END IF;
    RETURN;
  ELSIF task.cancel_requested AND given.type <> 'succeeded' THEN
    went_to := finish(task, 'cancelled', end_of(now, cancelled_keep), 'cancelled', now);
    letter := 'c';
    came_from := task.state;
    RETURN;
  ELSE
    went_to := apply_outcome(task, given, now);
  END IF;
  letter := 's';
  came_from := task.state;
END $$;

-- Writes outcomes in the form of `settlement`, in order. Answers a letter for each.
CREATE OR REPLACE FUNCTION settle_all(outcomes json, cancelled_keep bigint, now bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  letters text := '';
  one record;
  settled record;
  -- One of each for every task that moved.
  queues text[] := '{}';
  came text[] := '{}';
  went text[] := '{}';
BEGIN
  FOR one IN SELECT o FROM json_populate_recordset(NULL::settlement, outcomes) o LOOP
    settled := settle_one(one.o, cancelled_keep, now);
    letters := letters || settled.letter;
    CONTINUE WHEN settled.came_from IS NULL;
    queues := array_append(queues, (one.o).queue);
    came := array_append(came, settled.came_from);
    went := array_append(went, settled.went_to);
  END LOOP;
  INSERT INTO moves
    SELECT count(*), m.queue, m.came_from, m.went_to FROM unnest(queues, came, went) m (queue, came_from, went_to)
    GROUP BY m.queue, m.came_from, m.went_to;
  RETURN letters;
END $$;

-- Argument: { outcomes, cancelledKeep, waits? }: whether to wait for transactions that have the tasks in hand, for as long as those
-- like. Answer: a letter for each.
CREATE OR REPLACE FUNCTION settle_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
BEGIN
  IF said -> 'waits' IS NOT NULL THEN
    BEGIN
      PERFORM FROM json_populate_recordset(NULL::settlement, said -> 'outcomes') o
        JOIN tasks t ON t.queue = o.queue AND t.id = o.id FOR UPDATE OF t;
    EXCEPTION WHEN serialization_failure THEN
      -- The snapshot of such a transaction is of its first statement, and leases are renewed.
      RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = format(
        'the task has changed since this transaction began: its lease was renewed, or lost. At %s complete it first of all in the transaction',
        upper(current_setting('transaction_isolation'))
      );
    END;
  ELSE
    PERFORM set_config('lock_timeout', '200ms', true);
  END IF;
  RETURN to_json(settle_all(said -> 'outcomes', (said ->> 'cancelledKeep')::bigint, now_ms()))::text;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan
  SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;

-- Successes of tasks that are not kept, as queues, ids, epochs and the places at which the claim put their rows, told for the first
-- time. Answer: a letter for each. Goes beside a claim, in a commit of its own, so that the claim waits neither for it nor for the disk.
-- For a session that has the other settings of `settle_done_v1` for good, see `claim_here_v1`.
CREATE OR REPLACE FUNCTION settle_done_here_v1(queues text[], ids text[], epochs bigint[], places tid[], cancelled_keep text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  gone bigint[];
  letters text := '';
  settled record;
  now bigint;
BEGIN
  WITH deleted AS (
    DELETE FROM tasks t USING unnest(queues, ids, epochs, places) WITH ORDINALITY AS d (queue, id, epoch, place, n)
    WHERE t.ctid = d.place AND t.id = d.id AND t.queue = d.queue AND t.epoch = d.epoch AND t.lease_ends_at IS NOT NULL
    RETURNING d.n, d.queue, d.epoch
  ), over AS (
    -- Of a claim whose tasks have all been done by this. No join, which could begin with all notes that there are.
    DELETE FROM leases l WHERE l.epoch = ANY (ARRAY(SELECT d.epoch FROM deleted d GROUP BY d.epoch))
      AND cardinality(l.tasks) = (SELECT count(*) FROM deleted d WHERE d.queue = l.queue AND d.epoch = l.epoch)
  ), counted AS (INSERT INTO moves SELECT count(*), d.queue, 'pending', NULL FROM deleted d GROUP BY d.queue)
  SELECT array_agg(n) INTO gone FROM deleted;
  IF cardinality(gone) = cardinality(ids) THEN RETURN repeat('s', cardinality(ids)); END IF;
  now := now_ms();
  FOR n IN 1..cardinality(ids) LOOP
    IF n = ANY (gone) THEN
      letters := letters || 's';
      CONTINUE;
    END IF;
    -- Rows move when a lease is renewed.
    settled := settle_one(
      (queues[n], ids[n], epochs[n], 'succeeded', 0, NULL, NULL, NULL, NULL, false, NULL, NULL), nullif(cancelled_keep, '')::bigint, now
    );
    letters := letters || settled.letter;
    IF settled.came_from IS NOT NULL THEN PERFORM moved(queues[n], settled.came_from, settled.went_to); END IF;
  END LOOP;
  RETURN letters;
END $$ SET lock_timeout = '200ms';

-- The same for any session.
CREATE OR REPLACE FUNCTION settle_done_v1(queues text[], ids text[], epochs bigint[], places tid[], cancelled_keep text)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN settle_done_here_v1(queues, ids, epochs, places, cancelled_keep);
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET lock_timeout = '200ms'
  SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off;
