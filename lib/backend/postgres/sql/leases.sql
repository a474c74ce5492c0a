-- Notes which tasks of a queue a claim has taken. A queue may be asked twice by one claim; and two claims that read the clock in the
-- same microsecond draw the same number, see `draw_epoch`: they share a note.
CREATE OR REPLACE FUNCTION note_leases(asked_queue text, drawn bigint, lease_end bigint, asked_runner text, ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO leases AS l VALUES (asked_queue, drawn, lease_end, asked_runner, ids)
  ON CONFLICT (epoch, queue) DO UPDATE SET
    tasks = l.tasks || excluded.tasks, ends_at = least(l.ends_at, excluded.ends_at),
    runner = CASE WHEN l.runner = excluded.runner THEN l.runner END;
END $$;

-- Brings the note of a claim up to date, which the caller has in hand: it is looked at again when the first of the leases ends that
-- are left, if any are. Answers whether it said anything else before.
CREATE OR REPLACE FUNCTION look_after(lease leases) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  next_end bigint;
  ids text[];
BEGIN
  -- Not by a join with the ids: planned while there are few tasks, it would go through all of them when there are many.
  SELECT min(t.lease_ends_at), array_agg(t.id) INTO next_end, ids FROM tasks t
    WHERE t.queue = lease.queue AND t.id = ANY (lease.tasks) AND t.epoch = lease.epoch AND t.state = 'pending';
  IF ids IS NULL THEN
    DELETE FROM leases l WHERE l.epoch = lease.epoch AND (l.queue = lease.queue) IS TRUE;
  ELSIF next_end <> lease.ends_at OR cardinality(ids) < cardinality(lease.tasks) THEN
    UPDATE leases l SET ends_at = next_end, tasks = ids WHERE l.epoch = lease.epoch AND (l.queue = lease.queue) IS TRUE;
  ELSE
    RETURN false;
  END IF;
  RETURN true;
END $$;

-- Looks after claims whose time is up soon, so that others find only such as are lost, and no note of what is done or was renewed: a
-- thousand at most, or some two thousand tasks. Answers whether there may be more.
CREATE OR REPLACE FUNCTION tidy_leases(asked_queue text, now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  lease leases;
  notes integer := 0;
  looked_at integer := 0;
  has_changed boolean := false;
BEGIN
  FOR lease IN
    SELECT * FROM leases l WHERE l.queue = asked_queue AND l.ends_at > now AND l.ends_at <= now + 2500
    ORDER BY l.ends_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  LOOP
    has_changed := look_after(lease) OR has_changed;
    notes := notes + 1;
    looked_at := looked_at + cardinality(lease.tasks);
    EXIT WHEN looked_at >= 2000;
  END LOOP;
  RETURN has_changed AND (notes = 1000 OR looked_at >= 2000);
END $$;

-- When the first lease of a queue ends after a moment. Where a note says so of tasks that are done, or whose leases were renewed, it
-- is brought up to date, ten of them at most: a look too early does no harm.
CREATE OR REPLACE FUNCTION first_lease_end(asked_queue text, after bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lease leases;
  first_end bigint;
BEGIN
  FOR try IN 1..10 LOOP
    SELECT * INTO lease FROM leases l WHERE l.queue = asked_queue AND l.ends_at > after ORDER BY l.ends_at LIMIT 1;
    first_end := lease.ends_at;
    EXIT WHEN first_end IS NULL OR EXISTS (
      SELECT FROM tasks t WHERE t.queue = lease.queue AND t.id = ANY (lease.tasks) AND t.epoch = lease.epoch
        AND t.state = 'pending' AND t.lease_ends_at = first_end
    );
    -- As it is now, and nobody else's: what another has added to it meanwhile must not be lost.
    SELECT * INTO lease FROM leases l WHERE l.epoch = lease.epoch AND (l.queue = lease.queue) IS TRUE FOR UPDATE SKIP LOCKED;
    EXIT WHEN lease.queue IS NULL;
    PERFORM look_after(lease);
    -- Not once more through what has been cleared away before it.
    after := first_end - 1;
  END LOOP;
  RETURN first_end;
END $$;

-- Ends every lease: where a database serves one process at a time, those it finds at its start are of one that is gone. The
-- next claim takes the tasks back, and counts the attempts.
CREATE OR REPLACE FUNCTION end_leases_v1(asked text) RETURNS void LANGUAGE sql AS $$
  WITH ended AS (UPDATE leases SET ends_at = 0 RETURNING queue, epoch, tasks)
  UPDATE tasks t SET lease_ends_at = 0 FROM ended e
    WHERE t.queue = e.queue AND t.id = ANY (e.tasks) AND t.epoch = e.epoch AND t.state = 'pending'
$$ SET search_path FROM CURRENT SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
