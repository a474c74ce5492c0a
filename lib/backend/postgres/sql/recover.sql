-- A run that ended with its lease, as whoever claims is told of it: with an ! before the number of its queue, see `claimed_text`.
CREATE OR REPLACE FUNCTION recovered_text(t tasks, queue_number integer, became text, message text, now bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat(
    E'\x1e!', queue_number, E'\x1f', t.id, E'\x1f', t.lost_epoch, E'\x1f', t.job, E'\x1f', t.attempt, E'\x1f', t.due_at, E'\x1f',
    t.runner, E'\x1f', now, E'\x1f', became, E'\x1f', message, E'\x1f', t.schedule_id, E'\x1f', t.slot
  )
$$;

-- Leases that ended without an outcome: their process died, or was cut off. Of a queue a thousand claims at most, until a thousand
-- tasks are found. Answers the runs, how many tasks it took back, and whether there may be more.
CREATE OR REPLACE FUNCTION recover(
  asked_queue text, queue_number integer, dead_keep bigint, cancelled_keep bigint, now bigint,
  OUT told text, OUT recovered integer, OUT is_cut boolean
) LANGUAGE plpgsql AS $$
DECLARE
  lease leases;
  notes integer := 0;
  task tasks;
BEGIN
  told := '';
  recovered := 0;
  FOR lease IN
    SELECT * FROM leases l WHERE l.queue = asked_queue AND l.ends_at <= now
    ORDER BY l.ends_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  LOOP
    FOR task IN
      SELECT * FROM tasks t WHERE t.queue = asked_queue AND t.id = ANY (lease.tasks) AND t.epoch = lease.epoch
        AND t.state = 'pending' AND t.lease_ends_at <= now FOR UPDATE SKIP LOCKED
    LOOP
      recovered := recovered + 1;
      told := told || recover_one(task, queue_number, dead_keep, cancelled_keep, now);
    END LOOP;
    PERFORM look_after(lease);
    notes := notes + 1;
    EXIT WHEN recovered >= 1000;
  END LOOP;
  is_cut := notes = 1000 OR recovered >= 1000;
END $$;

-- Takes back a task that this transaction has in hand. Answers the run; nothing where it never began.
CREATE OR REPLACE FUNCTION recover_one(task tasks, queue_number integer, dead_keep bigint, cancelled_keep bigint, now bigint)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text := format('runner %s did not settle before its lease ended', task.runner);
  became text;
BEGIN
  task.lost_epoch := task.epoch;
  task.epoch := 0;
  IF task.cancel_requested THEN
    PERFORM moved(task.queue, 'pending', finish(task, 'cancelled', end_of(now, cancelled_keep), 'cancelled', now));
    PERFORM note_lost(task, 'cancelled', NULL, now);
    RETURN recovered_text(task, queue_number, 'cancelled', NULL, now);
  END IF;
  IF task.lock_phase = 'while_executing' THEN task.held_key := NULL; END IF;
  IF task.in_conflict THEN
    -- As when it is handed back.
    task.attempt := task.attempt - 1;
    PERFORM moved(task.queue, 'pending', put_back(task, NULL, now));
    RETURN '';
  END IF;
  task.failures := task.failures + 1;
  task.errors := with_error(task, jsonb_build_object('name', 'LeaseLostError', 'message', message), now);
  IF task.attempt > task.retries THEN
    became := 'dead';
    PERFORM moved(task.queue, 'pending', finish(task, 'dead', end_of(now, dead_keep), NULL, now));
  ELSE
    became := 'lost';
    PERFORM moved(task.queue, 'pending', put_back(task, NULL, now));
  END IF;
  PERFORM note_lost(task, became, 'LeaseLostError: ' || message, now);
  RETURN recovered_text(task, queue_number, became, message, now);
END $$;

-- Takes back what a runner was given in an answer that never reached it; what another transaction has in hand comes back by its lease.
CREATE OR REPLACE FUNCTION hand_back_all_but(known text[], asked_queue text, asked_runner text, cancelled_keep bigint, now bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lease leases;
  task tasks;
BEGIN
  FOR lease IN
    SELECT * FROM leases l WHERE l.queue = asked_queue AND (l.runner = asked_runner OR l.runner IS NULL) AND NOT l.tasks <@ known
  LOOP
    FOR task IN
      SELECT * FROM tasks t WHERE t.queue = asked_queue AND t.id = ANY (lease.tasks) AND t.epoch = lease.epoch
        AND t.state = 'pending' AND t.runner = asked_runner AND NOT t.id = ANY (known) FOR UPDATE SKIP LOCKED
    LOOP
      PERFORM moved(task.queue, 'pending', CASE
        WHEN task.cancel_requested THEN finish(task, 'cancelled', end_of(now, cancelled_keep), 'cancelled', now)
        ELSE apply_outcome(task, (NULL, NULL, NULL, 'handed-back', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), now)
      END);
    END LOOP;
  END LOOP;
END $$;

-- What time alone has brought about in a queue: lost leases, due tasks, at most a thousand of each. Leases that ended before
-- `since` were looked for already.
-- Answers the runs that were lost, whether anything has moved by it, and whether there may be more than it has looked at. What
-- another transaction has in hand is left.
CREATE OR REPLACE FUNCTION catch_up(
  asked_queue text, queue_number integer, since bigint, dead_keep bigint, cancelled_keep bigint, now bigint,
  OUT told text, OUT has_moved boolean, OUT is_cut boolean
) LANGUAGE plpgsql AS $$
DECLARE
  is_lost boolean;
  is_due boolean;
  recovered record;
  promoted integer := 0;
BEGIN
  told := '';
  has_moved := false;
  is_cut := false;
  SELECT
    EXISTS (SELECT FROM leases l WHERE l.queue = asked_queue AND l.ends_at > since AND l.ends_at <= now),
    EXISTS (SELECT FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'scheduled' AND t.due_at <= now)
  INTO is_lost, is_due;
  IF is_lost THEN
    recovered := recover(asked_queue, queue_number, dead_keep, cancelled_keep, now);
    told := recovered.told;
    has_moved := recovered.recovered > 0;
    is_cut := recovered.is_cut;
  END IF;
  IF is_due THEN
    UPDATE tasks SET state = 'waiting' WHERE ctid = ANY (ARRAY(
      SELECT t.ctid FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'scheduled' AND t.due_at <= now
      ORDER BY t.due_at, t.arrival LIMIT 1000 FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS promoted = ROW_COUNT;
    PERFORM moved(asked_queue, 'scheduled', 'waiting', promoted);
  END IF;
  has_moved := has_moved OR promoted > 0;
  is_cut := is_cut OR promoted = 1000;
END $$;
