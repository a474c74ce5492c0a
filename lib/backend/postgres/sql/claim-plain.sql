-- What runners ask most: the best tasks of one queue, with nothing beside them. A few small statements, where `claim_all` needs a
-- dozen; a single large one would take the server longer to set up than all of these. Whatever is out of the ordinary (a due or lost
-- task to bring back, a pause, a lock to look at, a task that has expired, none at all) is left to `claim_all`, in the same call.
-- Arguments: the queue, how many, milliseconds of the lease, the runner, how long dead and cancelled ones are kept, nothing: for
-- good, the edge at which the look begins, nothing: at the first, see `claim_from`, and whether runs are short, so that tasks may keep
-- their places. Answer: as `exchange_v1`.
-- For a session that has the other settings of `claim_plain_v1` for good: to make and undo them costs as much as ten tasks.
CREATE OR REPLACE FUNCTION claim_here_v1(
  asked_queue text, wanted integer, lease_ms bigint, asked_runner text, dead_keep text, cancelled_keep text, asked_edge text,
  may_stay boolean DEFAULT false
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  edge bigint[] := nullif(asked_edge, '')::bigint[];
  now bigint := now_ms();
  lease_end bigint := now + lease_ms;
  drawn bigint := draw_epoch();
  read_before bigint := read_of('tasks_waiting');
  is_odd boolean;
  places tid[];
  taken integer;
  next_in_ms bigint := 0;
  last bigint[];
  ids text[];
  claimed text;
  first record;
  claim record;
BEGIN
  -- A claim that a crash of the server forgets has acknowledged nothing: the task is waiting again, and its run is fenced.
  PERFORM set_config('synchronous_commit', 'off', true);
  IF edge IS NULL THEN
    is_odd := EXISTS (SELECT FROM tasks s WHERE s.queue = asked_queue AND s.shelf = 'scheduled' AND s.due_at <= now)
      OR EXISTS (SELECT FROM leases l WHERE l.queue = asked_queue AND l.ends_at <= now)
      OR EXISTS (SELECT FROM queues q WHERE q.queue = asked_queue AND q.paused_until > now);
  ELSE
    -- Whoever left the edge has looked for lost leases a moment ago, and each sweep does: beside an old snapshot that is long.
    is_odd := EXISTS (SELECT FROM tasks s WHERE s.queue = asked_queue AND s.shelf = 'scheduled' AND s.due_at <= now)
      OR EXISTS (SELECT FROM tasks b WHERE b.queue = asked_queue AND b.shelf = 'waiting' AND b.state = 'waiting' AND b.priority < edge[1])
      OR EXISTS (SELECT FROM queues q WHERE q.queue = asked_queue AND q.paused_until > now);
  END IF;
  IF NOT is_odd THEN
    SELECT
      array_agg(p.ctid), bool_or(p.is_odd), count(*),
      ARRAY[(array_agg(p.priority))[count(*)], (array_agg(p.due_at))[count(*)], (array_agg(p.arrival))[count(*)]]
    INTO places, is_odd, taken, last FROM (
      SELECT
        t.ctid, t.priority, t.due_at, t.arrival,
        (t.expires_at <= now AND t.attempt = 0 AND (t.epoch = 0 OR t.only_conflicts))
          OR t.lock_phase = 'while_executing' OR (t.lock_phase = 'until_executed' AND t.failures > 0) AS is_odd
      FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting'
        AND (t.priority, t.due_at, t.arrival) > (coalesce(edge[1], -1001), coalesce(edge[2], 0), coalesce(edge[3], 0))
      ORDER BY t.priority, t.due_at, t.arrival LIMIT wanted FOR UPDATE SKIP LOCKED
    ) p;
  END IF;
  IF is_odd OR places IS NULL THEN
    claim := claim_all(
      ARRAY[asked_queue], ARRAY[wanted],
      json_build_object(
        'limit', wanted, 'leaseMs', lease_ms, 'runner', asked_runner, 'turn', 0, 'stays', may_stay,
        'edges', CASE WHEN edge IS NOT NULL THEN json_build_object(asked_queue, asked_edge) END
      ),
      nullif(dead_keep, '')::bigint, nullif(cancelled_keep, '')::bigint, now
    );
    RETURN claim.nexts || claim.claimed;
  END IF;
  WITH updated AS (
    UPDATE tasks t SET
      state = 'pending', stays = may_stay, attempt = t.attempt + 1, reason = NULL, runner = asked_runner, epoch = drawn, lost_epoch = 0,
      lease_ends_at = lease_end, held_key = CASE WHEN t.lock_phase <> 'until_executing' THEN t.held_key END
    WHERE t.ctid = ANY (places) RETURNING claimed_text(t, t.ctid, 0, NULL) AS told, t.id, t.priority, t.due_at, t.arrival
  )
  SELECT string_agg(u.told, '' ORDER BY u.priority, u.due_at, u.arrival), array_agg(u.id) INTO claimed, ids FROM updated u;
  INSERT INTO moves VALUES (taken, asked_queue, 'waiting', 'pending');
  -- As `note_leases`.
  INSERT INTO leases AS l VALUES (asked_queue, drawn, lease_end, asked_runner, ids) ON CONFLICT (epoch, queue) DO UPDATE SET
    tasks = l.tasks || excluded.tasks, ends_at = least(l.ends_at, excluded.ends_at),
    runner = CASE WHEN l.runner = excluded.runner THEN l.runner END;
  -- What lies before an edge is not known: the next claim begins at the first. There may be more behind many; of few it is worth a look.
  IF edge IS NULL AND NOT (taken = wanted AND (wanted >= 8 OR EXISTS (
    SELECT FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting'
      AND (t.priority, t.due_at, t.arrival) > (last[1], last[2], last[3])
  ))) THEN
    SELECT l.epoch, least(l.ends_at, (
      SELECT s.due_at FROM tasks s WHERE s.queue = asked_queue AND s.shelf = 'scheduled' ORDER BY s.due_at, s.arrival LIMIT 1
    )) AS next_at INTO first FROM leases l WHERE l.queue = asked_queue ORDER BY l.ends_at LIMIT 1;
    -- Of another claim the tasks may be done, or their leases renewed. What is due by now has come in this very moment.
    next_in_ms := CASE
      WHEN first.epoch = drawn AND first.next_at > now THEN first.next_at - now
      ELSE next_in(asked_queue, -1, true, now)
    END;
  END IF;
  RETURN concat(
    E'\x1f', next_in_ms,
    CASE WHEN taken = wanted THEN '!' || told_edge(last, edge, read_of('tasks_waiting') - read_before, wanted, now) END,
    claimed
  );
END $$ SET lock_timeout = '200ms';

-- The same for any session.
CREATE OR REPLACE FUNCTION claim_plain_v1(
  asked_queue text, wanted integer, lease_ms bigint, asked_runner text, dead_keep text, cancelled_keep text, asked_edge text,
  may_stay boolean DEFAULT false
) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN claim_here_v1(asked_queue, wanted, lease_ms, asked_runner, dead_keep, cancelled_keep, asked_edge, may_stay);
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET lock_timeout = '200ms' SET jit = off
  -- The plan must not flip, whatever the statistics say: every look is by an index that has its order.
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET enable_sort = off;
