-- A claimed task as the runner gets it; its queue is told by its number. Written by hand, and with separators that no stored
-- text has: JSON would cost more than the change of the row.
-- The place of its row is told of tasks without a lock that are claimed in bulk.
CREATE OR REPLACE FUNCTION claimed_text(t tasks, place tid, queue_number integer, conflict text) RETURNS text LANGUAGE sql STABLE AS $$
  -- Without a separator of its own between any two, each of which would cost as much as a value.
  SELECT concat_ws(
    E'\x1f',
    E'\x1e' || queue_number, t.id, t.epoch, t.job, t.params, coalesce('+' || t.extra, ''),
    t.priority, t.enqueued_at, t.due_at, t.attempt, t.failures, t.retries,
    coalesce(t.keep_ms::text, ''), coalesce(CASE WHEN t.lock_key IS NULL THEN place::text END, ''),
    CASE WHEN t.schedule_id IS NOT NULL OR t.lock_key IS NOT NULL THEN concat(
      t.schedule_id, E'\x1f', t.slot, E'\x1f', t.lock_key, E'\x1f', t.lock_phase, E'\x1f', t.lock_conflict, E'\x1f',
      t.lock_ttl_ms, E'\x1f', t.lock_retry_after_ms, E'\x1f', conflict
    ) END
  )
$$;

-- What this session has read of an index lately, in entries that lead to rows; a page, which may have but entries that are known to
-- be dead, counts for twenty.
CREATE OR REPLACE FUNCTION read_of(index regclass) RETURNS bigint LANGUAGE sql AS $$
  SELECT pg_stat_get_xact_tuples_returned(index) + 20 * pg_stat_get_xact_blocks_fetched(index)
$$;

-- Where the next claims of this runner may begin, and for how many milliseconds: behind the last task that was taken. Entries of
-- tasks that were claimed before stay in the index until it is vacuumed, which is once a minute at best, and for longer where
-- somebody has an old snapshot; a look from the first would go through all of them. What comes to lie before an edge meanwhile
-- waits until it is over: that is little behind a backlog, where nothing is in time. Else there is one only where the look was long,
-- and the longer it was, the longer it need not be made again. One that the look began at moves on, and lasts no longer for that.
CREATE OR REPLACE FUNCTION told_edge(last bigint[], before bigint[], looked_through bigint, wanted integer, now bigint) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  RETURN array_to_string(last, ',') || ',' || now || ',' || CASE
    WHEN before IS NOT NULL THEN 0
    WHEN last[2] < now - 2000 AND wanted >= 8 THEN 1000
    WHEN looked_through > 1000 + 10 * wanted THEN least(looked_through / 10, 1000)
  END;
END $$;

-- Takes the best tasks of a queue, `wanted` at most; says whether there may be more now, and the place of the last.
-- With an edge (priority, due time, arrival) the look begins behind it, where an earlier one ended, but for better priorities.
CREATE OR REPLACE FUNCTION claim_from(
  asked_queue text, queue_number integer, wanted integer, declares text[], edge bigint[], may_stay boolean, drawn bigint,
  lease_end bigint, asked_runner text, cancelled_keep bigint, now bigint,
  OUT claimed text, OUT taken integer, OUT has_more boolean, OUT last bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  from_priority integer := -1001;
  from_due bigint := 0;
  from_arrival bigint := 0;
  below integer := coalesce(edge[1], 1001);
  places tid[];
  ids text[];
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
      WHERE t.queue = asked_queue AND t.shelf = 'parked' AND t.job = ANY (declares) AND t.reason = 'unknown-job'
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
      FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting'
        AND (t.priority, t.due_at, t.arrival) > (from_priority, from_due, from_arrival) AND t.priority < below
      ORDER BY t.priority, t.due_at, t.arrival LIMIT missing FOR UPDATE SKIP LOCKED
    ) p;
    IF places IS NOT NULL THEN last := ARRAY[last_priority, last_due_at, last_arrival]; END IF;
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
          state = 'pending', stays = may_stay, attempt = t.attempt + 1, reason = NULL, runner = asked_runner, epoch = drawn, lost_epoch = 0,
          lease_ends_at = lease_end, held_key = CASE WHEN t.lock_phase <> 'until_executing' THEN t.held_key END
        WHERE t.ctid = ANY (places) RETURNING claimed_text(t, t.ctid, queue_number, NULL) AS told, t.id, t.priority, t.due_at, t.arrival
      ), counted AS (INSERT INTO moves VALUES (cardinality(places), asked_queue, 'waiting', 'pending'))
      SELECT claimed || string_agg(u.told, '' ORDER BY u.priority, u.due_at, u.arrival), array_agg(u.id) INTO claimed, ids FROM updated u;
      PERFORM note_leases(asked_queue, drawn, lease_end, asked_runner, ids);
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
  has_more := CASE
    WHEN expired >= 1000 THEN true
    WHEN taken < wanted THEN false
    WHEN last_arrival IS NULL THEN has_work(asked_queue, declares, edge)
    -- Behind the last one: what lies before it has just been taken, and would be read once more.
    ELSE EXISTS (
      SELECT FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting'
        AND (t.priority, t.due_at, t.arrival) > (last_priority, last_due_at, last_arrival)
    )
  END;
END $$;

-- Takes the best due tasks of some queues, in turn, so that none starves, from each as many as it has room for. Argument:
-- { limit, leaseMs, runner, turn, stays?, declares?, holding?: { queue: [id …] }, edges?: { queue: edge and since } }.
-- Answers the runs whose leases had ended, as `recovered_text`, the tasks, each as `claimed_text`, and per queue, after a separator,
-- when to look again, behind a ! the next edge, if there is one, see `told_edge`.
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
  may_stay boolean := coalesce((said ->> 'stays')::boolean, false);
  count integer := cardinality(names);
  paused bigint[] := array_fill(0::bigint, ARRAY[count]);
  -- Of those that were asked, whether there is more.
  has_more boolean[] := array_fill(NULL::boolean, ARRAY[count]);
  is_open boolean[] := array_fill(true, ARRAY[count]);
  edges text[] := array_fill(NULL::text, ARRAY[count]);
  next_edges text[] := array_fill(NULL::text, ARRAY[count]);
  since bigint[] := array_fill(-1::bigint, ARRAY[count]);
  is_cut boolean[] := array_fill(false, ARRAY[count]);
  share integer;
  rest integer;
  wanted integer;
  read_before bigint;
  got record;
  caught_up record;
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
    IF said -> 'edges' IS NOT NULL THEN
      edges[i] := said -> 'edges' ->> names[i];
      since[i] := coalesce((edges[i]::bigint[])[4], -1);
    END IF;
    caught_up := catch_up(names[i], i - 1, since[i], dead_keep, cancelled_keep, now);
    claimed := claimed || caught_up.told;
    is_cut[i] := caught_up.is_cut;
    -- It may lie before the edge.
    IF caught_up.has_moved THEN
      edges[i] := NULL;
      since[i] := -1;
    END IF;
    is_open[i] := room[i] > 0;
  END LOOP;
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
      read_before := read_of('tasks_waiting');
      got := claim_from(
        names[i], i - 1, wanted, declares, edges[i]::bigint[], may_stay, drawn, lease_end, asked_runner, cancelled_keep, now
      );
      claimed := claimed || got.claimed;
      missing := missing - got.taken;
      room[i] := room[i] - got.taken;
      has_more[i] := got.has_more;
      IF got.taken = wanted THEN
        next_edges[i] := coalesce(told_edge(
          got.last, edges[i]::bigint[], read_of('tasks_waiting') - read_before, wanted, now
        ), next_edges[i]);
      END IF;
      is_open[i] := room[i] > 0 AND got.taken = wanted;
    END LOOP;
  END LOOP;

  FOR i IN 1..count LOOP
    nexts := concat(nexts, E'\x1f', CASE
      WHEN paused[i] = never() THEN NULL
      WHEN paused[i] > 0 THEN paused[i] - now
      WHEN coalesce(has_more[i], has_work(names[i], declares, edges[i]::bigint[])) THEN 0
      -- What lies before it is not known: the next claim begins at the first.
      WHEN edges[i] IS NOT NULL THEN 0
      ELSE next_in(names[i], since[i], is_cut[i], now)
    END, '!' || next_edges[i]);
  END LOOP;
END $$;

-- Not in SQL, as nothing that a claim calls: such a function is planned anew in every transaction.
CREATE OR REPLACE FUNCTION has_work(asked_queue text, declares text[], edge bigint[]) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting'
      AND (t.priority, t.due_at, t.arrival) > (coalesce(edge[1], -1001), coalesce(edge[2], 0), coalesce(edge[3], 0))
  ) OR (
    edge IS NOT NULL AND EXISTS (
      SELECT FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting' AND t.priority < edge[1]
    )
  ) OR (
    cardinality(declares) > 0 AND EXISTS (
      SELECT FROM tasks t
      WHERE t.queue = asked_queue AND t.shelf = 'parked' AND t.job = ANY (declares) AND t.reason = 'unknown-job'
    )
  );
END $$;
