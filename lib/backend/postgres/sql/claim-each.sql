-- Takes one task whose lock must be looked at, and that this transaction has in hand. None: it must be left for later, since
-- an open transaction is at its lock.
CREATE OR REPLACE FUNCTION claim_locked(task tasks, queue_number integer, drawn bigint, lease_end bigint, asked_runner text, now bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  holder tasks;
  taken boolean;
  meets_lock boolean;
  is_unsure boolean := false;
BEGIN
  FOR try IN 1..100 LOOP
    SELECT * INTO holder FROM tasks t
      WHERE t.queue = task.queue AND t.held_key = task.lock_key AND t.id <> task.id AND NOT lock_is_over(t, now);
    taken := holder.id IS NULL AND NOT is_unsure;
    meets_lock := holder.id IS NOT NULL AND task.lock_phase = 'while_executing';
    BEGIN
      IF taken THEN
        -- One whose time to live has passed gives way.
        UPDATE tasks t SET held_key = NULL WHERE t.queue = task.queue AND t.held_key = task.lock_key AND t.id <> task.id;
      END IF;
      UPDATE tasks t SET
        state = 'pending', stays = false, attempt = t.attempt + 1, reason = NULL, runner = asked_runner, epoch = drawn, lost_epoch = 0,
        lease_ends_at = lease_end, held_key = CASE WHEN taken THEN t.lock_key ELSE t.held_key END,
        in_conflict = meets_lock, only_conflicts = meets_lock AND is_fresh(t)
      WHERE t.queue = task.queue AND t.id = task.id RETURNING * INTO task;
      RETURN claimed_text(task, NULL, queue_number, CASE WHEN meets_lock THEN holder.id END);
    EXCEPTION
      WHEN unique_violation THEN
        -- Another has taken it in this moment.
      WHEN lock_not_available THEN
        IF task.lock_phase = 'while_executing' THEN RETURN NULL; END IF;
        -- A run after a failure takes the lock where it is free, and runs either way.
        is_unsure := true;
    END;
  END LOOP;
  RETURN NULL;
END $$;

-- Takes tasks that this transaction has in hand, one by one: some were parked, have expired, or have locks that must be looked
-- at. Those that were waiting may expire.
-- Answers those that were claimed, and how many have expired; `left_alone` where some must be left for later.
CREATE OR REPLACE FUNCTION claim_each(
  places tid[], asked_queue text, queue_number integer, may_expire boolean, drawn bigint, lease_end bigint, asked_runner text, cancelled_keep bigint, now bigint,
  OUT claimed text, OUT taken integer, OUT expired integer, OUT left_alone boolean
) LANGUAGE plpgsql AS $$
DECLARE
  task tasks;
  one text;
  ids text[] := '{}';
BEGIN
  claimed := '';
  taken := 0;
  expired := 0;
  left_alone := false;
  FOR task IN
    SELECT t.* FROM unnest(places) WITH ORDINALITY AS u (place, n) JOIN tasks t ON t.ctid = u.place ORDER BY u.n
  LOOP
    IF may_expire AND task.expires_at <= now AND is_fresh(task) THEN
      PERFORM moved(task.queue, 'waiting', finish(task, 'cancelled', end_of(now, cancelled_keep), 'expired', now));
      expired := expired + 1;
      CONTINUE;
    END IF;
    IF task.lock_phase = 'while_executing' OR (task.lock_phase = 'until_executed' AND task.failures > 0) THEN
      one := claim_locked(task, queue_number, drawn, lease_end, asked_runner, now);
      IF one IS NULL THEN
        left_alone := true;
        CONTINUE;
      END IF;
    ELSE
      UPDATE tasks t SET
        state = 'pending', stays = false, attempt = t.attempt + 1, reason = NULL, runner = asked_runner, epoch = drawn, lost_epoch = 0,
        lease_ends_at = lease_end, held_key = CASE WHEN t.lock_phase <> 'until_executing' THEN t.held_key END
      WHERE t.queue = task.queue AND t.id = task.id RETURNING * INTO task;
      one := claimed_text(task, NULL, queue_number, NULL);
    END IF;
    claimed := claimed || one;
    taken := taken + 1;
    ids := array_append(ids, task.id);
  END LOOP;
  IF taken > 0 THEN PERFORM note_leases(asked_queue, drawn, lease_end, asked_runner, ids); END IF;
  PERFORM moved(asked_queue, CASE WHEN may_expire THEN 'waiting' ELSE 'parked' END, 'pending', taken);
END $$;
