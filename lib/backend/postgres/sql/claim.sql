-- A lease that ended without an outcome: its process died, or was cut off. At most a thousand of a queue.
CREATE OR REPLACE FUNCTION recover(asked_queue text, dead_keep bigint, cancelled_keep bigint, now bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  task tasks;
  message text;
BEGIN
  FOR task IN
    SELECT * FROM tasks t WHERE t.queue = asked_queue AND t.state = 'pending' AND t.lease_ends_at <= now
    ORDER BY t.lease_ends_at, t.arrival LIMIT 1000 FOR UPDATE SKIP LOCKED
  LOOP
    task.lost_epoch := task.epoch;
    task.epoch := 0;
    IF task.cancel_requested THEN
      PERFORM moved(task.queue, 'pending', finish(task, 'cancelled', end_of(now, cancelled_keep), 'cancelled', now));
      PERFORM note_lost(task, 'cancelled', NULL, now);
      CONTINUE;
    END IF;
    IF task.lock_phase = 'while_executing' THEN task.held_key := NULL; END IF;
    IF task.in_conflict THEN
      -- It never ran: as when it is handed back.
      task.attempt := task.attempt - 1;
      PERFORM moved(task.queue, 'pending', put_back(task, NULL, now));
      CONTINUE;
    END IF;
    task.failures := task.failures + 1;
    message := format('runner %s did not settle before its lease ended', task.runner);
    task.errors := with_error(
      task.errors, jsonb_build_object('name', 'LeaseLostError', 'message', message), task.attempt, now
    );
    IF task.attempt > task.retries THEN
      PERFORM moved(task.queue, 'pending', finish(task, 'dead', end_of(now, dead_keep), NULL, now));
    ELSE
      PERFORM moved(task.queue, 'pending', put_back(task, NULL, now));
    END IF;
    PERFORM note_lost(
      task, CASE WHEN task.attempt > task.retries THEN 'dead' ELSE 'lost' END, 'LeaseLostError: ' || message, now
    );
  END LOOP;
END $$;

-- Takes back what a runner was given in an answer that never reached it.
CREATE OR REPLACE FUNCTION hand_back_all_but(known text[], asked_queue text, asked_runner text, cancelled_keep bigint, now bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  task tasks;
BEGIN
  FOR task IN
    SELECT * FROM tasks t
    WHERE t.queue = asked_queue AND t.state = 'pending' AND t.runner = asked_runner AND NOT t.id = ANY (known)
    FOR UPDATE
  LOOP
    PERFORM moved(task.queue, 'pending', CASE
      WHEN task.cancel_requested THEN finish(task, 'cancelled', end_of(now, cancelled_keep), 'cancelled', now)
      ELSE apply_outcome(task, (NULL, NULL, NULL, 'handed-back', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), now)
    END);
  END LOOP;
END $$;

-- Forgets finished tasks whose time is over, a thousand of each kind at most.
CREATE OR REPLACE FUNCTION purge(asked_queue text, now bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ended text;
  gone integer;
BEGIN
  FOREACH ended IN ARRAY ARRAY['succeeded', 'dead', 'cancelled'] LOOP
    DELETE FROM tasks WHERE ctid = ANY (ARRAY(
      SELECT t.ctid FROM tasks t WHERE t.queue = asked_queue AND t.state = ended AND t.remove_at <= now
      ORDER BY t.remove_at, t.arrival LIMIT 1000 FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM moved(asked_queue, ended, NULL, gone);
  END LOOP;
END $$;

-- Forgets calls that nobody repeats any more, some thousands at most.
CREATE OR REPLACE FUNCTION forget_calls(before bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM calls WHERE call = ANY (ARRAY(
    SELECT c.call FROM calls c WHERE c.at < before ORDER BY c.at LIMIT 5000 FOR UPDATE SKIP LOCKED
  ))
$$;

-- What time alone has brought about in a queue: lost leases, due tasks. Leases that ended before `since` were looked for already.
CREATE OR REPLACE FUNCTION catch_up(asked_queue text, since bigint, dead_keep bigint, cancelled_keep bigint, now bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  is_lost boolean;
  is_due boolean;
  promoted integer;
BEGIN
  SELECT
    EXISTS (
      SELECT FROM tasks t WHERE t.queue = asked_queue AND t.state = 'pending' AND t.lease_ends_at > since AND t.lease_ends_at <= now
    ),
    EXISTS (SELECT FROM tasks t WHERE t.queue = asked_queue AND t.state = 'scheduled' AND t.due_at <= now)
  INTO is_lost, is_due;
  IF is_lost THEN PERFORM recover(asked_queue, dead_keep, cancelled_keep, now); END IF;
  IF is_due THEN
    UPDATE tasks SET state = 'waiting' WHERE ctid = ANY (ARRAY(
      SELECT t.ctid FROM tasks t WHERE t.queue = asked_queue AND t.state = 'scheduled' AND t.due_at <= now
      ORDER BY t.due_at, t.arrival LIMIT 1000 FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS promoted = ROW_COUNT;
    PERFORM moved(asked_queue, 'scheduled', 'waiting', promoted);
  END IF;
END $$;

-- A claimed task as the runner gets it; its queue is told by its number. Written by hand, and with separators that no stored
-- text has: JSON would cost more than the index that the claim changes.
-- The place of its row is told of tasks without a lock that are claimed in bulk.
CREATE OR REPLACE FUNCTION claimed_text(t tasks, place tid, queue_number integer, conflict text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat(
    E'\x1e', queue_number, E'\x1f', t.id, E'\x1f', t.epoch, E'\x1f', t.job, E'\x1f', t.params, E'\x1f', '+' || t.extra, E'\x1f',
    t.priority, E'\x1f', t.enqueued_at, E'\x1f', t.due_at, E'\x1f', t.attempt, E'\x1f', t.failures, E'\x1f', t.retries, E'\x1f',
    t.keep_ms, E'\x1f', CASE WHEN t.lock_key IS NULL THEN place END,
    CASE WHEN t.schedule_id IS NOT NULL OR t.lock_key IS NOT NULL THEN concat(
      E'\x1f', t.schedule_id, E'\x1f', t.slot, E'\x1f', t.lock_key, E'\x1f', t.lock_phase, E'\x1f', t.lock_conflict, E'\x1f',
      t.lock_ttl_ms, E'\x1f', t.lock_retry_after_ms, E'\x1f', conflict
    ) END
  )
$$;

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
        state = 'pending', attempt = t.attempt + 1, reason = NULL, runner = asked_runner, epoch = drawn, lost_epoch = 0,
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
        state = 'pending', attempt = t.attempt + 1, reason = NULL, runner = asked_runner, epoch = drawn, lost_epoch = 0,
        lease_ends_at = lease_end, held_key = CASE WHEN t.lock_phase <> 'until_executing' THEN t.held_key END
      WHERE t.queue = task.queue AND t.id = task.id RETURNING * INTO task;
      one := claimed_text(task, NULL, queue_number, NULL);
    END IF;
    claimed := claimed || one;
    taken := taken + 1;
  END LOOP;
  PERFORM moved(asked_queue, CASE WHEN may_expire THEN 'waiting' ELSE 'parked' END, 'pending', taken);
END $$;

-- How many entries of an index this transaction has read so far, those of rows that are no more included.
CREATE OR REPLACE FUNCTION entries_read(index regclass) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN pg_stat_get_xact_tuples_returned(index);
END $$;

-- Takes the best tasks of a queue, `wanted` at most; says whether there may be more now, and whether there is litter: entries of
-- rows that were claimed before, but which an old snapshot keeps from being cleared away, so that every look reads them again.
-- With an edge (priority, due time, arrival) the look begins behind it, where an earlier one ended, but for better priorities.
CREATE OR REPLACE FUNCTION claim_from(
  asked_queue text, queue_number integer, wanted integer, declares text[], edge bigint[], drawn bigint,
  lease_end bigint, asked_runner text, cancelled_keep bigint, now bigint,
  OUT claimed text, OUT taken integer, OUT has_more boolean, OUT is_littered boolean, OUT next_edge bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  from_priority integer := -1001;
  from_due bigint := 0;
  from_arrival bigint := 0;
  below integer := coalesce(edge[1], 1001);
  read_before bigint := entries_read('tasks_waiting');
  places tid[];
  last_priority integer;
  last_due_at bigint;
  last_arrival bigint;
  is_odd boolean;
  part record;
  expired integer := 0;
  missing integer;
BEGIN
  claimed := '';
  taken := 0;
  IF cardinality(declares) > 0 THEN
    -- Parked because nobody knew their jobs.
    SELECT array_agg(p.ctid ORDER BY p.turn, p.parking) INTO places FROM (
      SELECT t.ctid, t.parking, array_position(declares, t.job) AS turn FROM tasks t
      WHERE t.queue = asked_queue AND t.state = 'parked' AND t.job = ANY (declares) AND t.reason = 'unknown-job'
      ORDER BY array_position(declares, t.job), t.parking LIMIT wanted FOR UPDATE SKIP LOCKED
    ) p;
    IF places IS NOT NULL THEN
      part := claim_each(places, asked_queue, queue_number, false, drawn, lease_end, asked_runner, cancelled_keep, now);
      claimed := part.claimed;
      taken := part.taken;
    END IF;
  END IF;
  LOOP
    missing := wanted - taken;
    EXIT WHEN missing <= 0 OR expired >= 1000;
    SELECT
      array_agg(p.ctid), bool_or(p.is_odd),
      (array_agg(p.priority))[count(*)], (array_agg(p.due_at))[count(*)], (array_agg(p.arrival))[count(*)]
    INTO places, is_odd, last_priority, last_due_at, last_arrival FROM (
      SELECT
        t.ctid, t.priority, t.due_at, t.arrival,
        (t.expires_at <= now AND is_fresh(t))
          OR t.lock_phase = 'while_executing' OR (t.lock_phase = 'until_executed' AND t.failures > 0) AS is_odd
      FROM tasks t WHERE t.queue = asked_queue AND t.state = 'waiting'
        AND (t.priority, t.due_at, t.arrival) > (from_priority, from_due, from_arrival) AND t.priority < below
      ORDER BY t.priority, t.due_at, t.arrival LIMIT missing FOR UPDATE SKIP LOCKED
    ) p;
    IF places IS NOT NULL THEN next_edge := ARRAY[last_priority, last_due_at, last_arrival]; END IF;
    IF places IS NULL THEN
      EXIT WHEN below = 1001;
    ELSIF is_odd THEN
      part := claim_each(places, asked_queue, queue_number, true, drawn, lease_end, asked_runner, cancelled_keep, now);
      claimed := claimed || part.claimed;
      taken := taken + part.taken;
      expired := expired + part.expired;
      EXIT WHEN part.left_alone;
    ELSE
      WITH updated AS (
        UPDATE tasks t SET
          state = 'pending', attempt = t.attempt + 1, reason = NULL, runner = asked_runner, epoch = drawn, lost_epoch = 0,
          lease_ends_at = lease_end, held_key = CASE WHEN t.lock_phase <> 'until_executing' THEN t.held_key END
        WHERE t.ctid = ANY (places) RETURNING claimed_text(t, t.ctid, queue_number, NULL) AS told, t.priority, t.due_at, t.arrival
      ), counted AS (INSERT INTO moves VALUES (cardinality(places), asked_queue, 'waiting', 'pending'))
      SELECT claimed || string_agg(u.told, '' ORDER BY u.priority, u.due_at, u.arrival) INTO claimed FROM updated u;
      taken := taken + cardinality(places);
    END IF;
    IF places IS NULL OR cardinality(places) < missing THEN
      EXIT WHEN below = 1001;
      from_priority := edge[1];
      from_due := edge[2];
      from_arrival := edge[3];
      below := 1001;
    END IF;
  END LOOP;
  is_littered := entries_read('tasks_waiting') - read_before > 1000 + 10 * wanted;
  has_more := CASE
    WHEN expired >= 1000 THEN true
    WHEN taken < wanted THEN false
    WHEN last_arrival IS NULL THEN has_work(asked_queue, declares, edge)
    -- Behind the last one: what lies before it has just been taken, and would be read once more.
    ELSE EXISTS (
      SELECT FROM tasks t WHERE t.queue = asked_queue AND t.state = 'waiting'
        AND (t.priority, t.due_at, t.arrival) > (last_priority, last_due_at, last_arrival)
    )
  END;
END $$;

-- Milliseconds until a claim may find something in a queue that gave all it had; none: only a bell can tell.
CREATE OR REPLACE FUNCTION next_in(asked_queue text, since bigint, now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  next_at bigint := least(
    (SELECT t.due_at FROM tasks t WHERE t.queue = asked_queue AND t.state = 'scheduled' ORDER BY t.due_at, t.arrival LIMIT 1),
    (SELECT t.lease_ends_at FROM tasks t WHERE t.queue = asked_queue AND t.state = 'pending' AND t.lease_ends_at > since
      ORDER BY t.lease_ends_at, t.arrival LIMIT 1)
  );
BEGIN
  RETURN CASE WHEN next_at > now THEN next_at - now WHEN next_at <= now THEN 0 END;
END $$;

-- Takes the best due tasks of some queues, in turn, so that none starves, from each as many as it has room for. Argument:
-- { limit, leaseMs, runner, turn, remember?, declares?, holding?: { queue: [id …] }, edges?: { queue: edge and since } }.
-- Answers the tasks, each as `claimed_text`, and per queue, after a separator, when to look again, behind a ! the next
-- edge and the time, where there is litter or an edge was given, see `claim_from`.
-- With `remember` what is past its retention is forgotten, and calls that are older than that many milliseconds; and moves are
-- added to the counters.
CREATE OR REPLACE FUNCTION claim_all(
  names text[], room integer[], said json, dead_keep bigint, cancelled_keep bigint, now bigint, OUT claimed text, OUT nexts text
) LANGUAGE plpgsql AS $$
DECLARE
  declares text[] := '{}';
  missing integer := (said ->> 'limit')::integer;
  asked_runner text := said ->> 'runner';
  drawn bigint := draw_epoch();
  lease_end bigint := now + (said ->> 'leaseMs')::bigint;
  turn integer := (said ->> 'turn')::integer;
  remembered bigint := (said ->> 'remember')::bigint;
  count integer := cardinality(names);
  paused bigint[] := array_fill(0::bigint, ARRAY[count]);
  -- Of those that were asked, whether there is more.
  has_more boolean[] := array_fill(NULL::boolean, ARRAY[count]);
  is_open boolean[] := array_fill(true, ARRAY[count]);
  edges text[] := array_fill(NULL::text, ARRAY[count]);
  next_edges text[] := array_fill(NULL::text, ARRAY[count]);
  since bigint[] := array_fill(-1::bigint, ARRAY[count]);
  share integer;
  rest integer;
  wanted integer;
  got record;
  pause record;
  i integer;
BEGIN
  claimed := '';
  nexts := '';
  IF said -> 'declares' IS NOT NULL THEN declares := ARRAY(SELECT json_array_elements_text(said -> 'declares')); END IF;
  FOR i IN 1..count LOOP
    IF said -> 'holding' IS NOT NULL THEN
      PERFORM hand_back_all_but(
        ARRAY(SELECT json_array_elements_text(said -> 'holding' -> names[i])), names[i], asked_runner, cancelled_keep, now
      );
    END IF;
    IF remembered IS NOT NULL THEN PERFORM purge(names[i], now); END IF;
    IF said -> 'edges' IS NOT NULL THEN
      edges[i] := said -> 'edges' ->> names[i];
      since[i] := coalesce((edges[i]::bigint[])[4], -1);
    END IF;
    PERFORM catch_up(names[i], since[i], dead_keep, cancelled_keep, now);
    is_open[i] := room[i] > 0;
  END LOOP;
  IF remembered IS NOT NULL THEN
    PERFORM forget_calls(now - remembered);
    PERFORM fold();
  END IF;
  FOR pause IN SELECT q.queue, q.paused_until FROM queues q WHERE q.queue = ANY (names) AND q.paused_until > now LOOP
    i := array_position(names, pause.queue);
    paused[i] := pause.paused_until;
    is_open[i] := false;
  END LOOP;

  WHILE missing > 0 AND true = ANY (is_open) LOOP
    share := missing / cardinality(array_positions(is_open, true));
    rest := missing % cardinality(array_positions(is_open, true));
    FOR k IN 0..count - 1 LOOP
      i := (turn + k) % count + 1;
      CONTINUE WHEN NOT is_open[i];
      wanted := least(room[i], share + CASE WHEN rest > 0 THEN 1 ELSE 0 END);
      rest := rest - 1;
      CONTINUE WHEN wanted = 0;
      got := claim_from(
        names[i], i - 1, wanted, declares, edges[i]::bigint[], drawn, lease_end, asked_runner, cancelled_keep, now
      );
      claimed := claimed || got.claimed;
      missing := missing - got.taken;
      room[i] := room[i] - got.taken;
      has_more[i] := got.has_more;
      IF got.next_edge IS NOT NULL AND (got.is_littered OR edges[i] IS NOT NULL) THEN
        next_edges[i] := array_to_string(got.next_edge, ',');
      END IF;
      is_open[i] := room[i] > 0 AND got.taken = wanted;
    END LOOP;
  END LOOP;

  FOR i IN 1..count LOOP
    nexts := concat(nexts, E'\x1f', CASE
      WHEN paused[i] = never() THEN NULL
      WHEN paused[i] > 0 THEN paused[i] - now
      WHEN coalesce(has_more[i], has_work(names[i], declares, edges[i]::bigint[])) THEN 0
      ELSE next_in(names[i], since[i], now)
    END, '!' || next_edges[i] || ',' || now);
  END LOOP;
END $$;

-- Not in SQL, as nothing that a claim calls: such a function is planned anew in every transaction.
CREATE OR REPLACE FUNCTION has_work(asked_queue text, declares text[], edge bigint[]) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM tasks t WHERE t.queue = asked_queue AND t.state = 'waiting'
      AND (t.priority, t.due_at, t.arrival) > (coalesce(edge[1], -1001), coalesce(edge[2], 0), coalesce(edge[3], 0))
  ) OR (
    edge IS NOT NULL AND EXISTS (
      SELECT FROM tasks t WHERE t.queue = asked_queue AND t.state = 'waiting' AND t.priority < edge[1]
    )
  ) OR (
    cardinality(declares) > 0 AND EXISTS (
      SELECT FROM tasks t
      WHERE t.queue = asked_queue AND t.state = 'parked' AND t.job = ANY (declares) AND t.reason = 'unknown-job'
    )
  );
END $$;
