-- A task as a reader gets it.
CREATE OR REPLACE FUNCTION record_of(t tasks) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_array(
    t.id, t.job, t.params, t.extra, t.state, t.priority, t.enqueued_at, t.due_at, t.expires_at, t.attempt, t.failures, t.retries,
    t.keep_ms, t.errors, t.result, t.reason, t.runner, t.lease_ends_at, t.cancel_requested, t.finished_at, t.lock_key,
    t.lock_phase, t.lock_conflict, t.lock_ttl_ms, t.lock_retry_after_ms, t.schedule_id, t.slot, t.progress, t.lines,
    greatest(t.epoch, t.lost_epoch), t.in_conflict
  )
$$;

-- Argument: { queue, id }. Answer: the task, if there is one.
CREATE OR REPLACE FUNCTION get_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT record_of(t)::text FROM tasks t
  WHERE t.queue = asked::json ->> 'queue' AND t.id = asked::json ->> 'id' AND (t.remove_at IS NULL OR t.remove_at > now_ms())
$$ SET search_path FROM CURRENT;

-- What orders the tasks of a state in its index: the way in which it is worked off. Those that run are sorted: by the ends of their
-- leases every renewal would move them.
CREATE OR REPLACE FUNCTION order_of(state text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN state = 'waiting' THEN '{priority,due_at,arrival}'
    WHEN state IN ('scheduled', 'parked') THEN '{due_at,arrival}'
    WHEN state = 'pending' THEN '{arrival}'
    WHEN state IN ('succeeded', 'dead', 'cancelled') THEN '{remove_at,arrival}'
  END::text[]
$$;

-- About how much of what can be large a task holds; nothing is read for it. Errors and lines lie compressed.
CREATE OR REPLACE FUNCTION size_of(t tasks) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT octet_length(t.params) + coalesce(octet_length(t.result), 0)
    + 4 * (coalesce(pg_column_size(t.errors), 0) + coalesce(pg_column_size(t.lines), 0))
$$;

-- Argument: { queue, state, limit, bytes, place?: [number …], backwards? }. Answer: [tasks of the state, behind the place, until
-- they hold so many bytes; the place of the last of them, as texts, if there are more].
CREATE OR REPLACE FUNCTION list_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  said json := asked::json;
  -- One of those known here: what is asked for becomes no part of the statement.
  columns text[] := order_of(said ->> 'state');
  is_backwards boolean := coalesce((said ->> 'backwards')::boolean, false);
  edge text := CASE WHEN is_backwards THEN '9223372036854775807' ELSE '-9223372036854775808' END;
  place text[] := coalesce(
    (SELECT array_agg(p) FROM json_array_elements_text(said -> 'place') p), array_fill(edge, ARRAY[cardinality(columns)])
  );
  answer text;
BEGIN
  EXECUTE format(
    $list$
      SELECT json_build_array(
        coalesce(json_agg(record_of(p.task) ORDER BY p.n) FILTER (WHERE p.fits), '[]'),
        CASE WHEN NOT bool_and(p.fits) THEN (array_agg(p.place ORDER BY p.n DESC) FILTER (WHERE p.fits))[1] END
      )
      FROM (
        SELECT f.*, f.n <= $3 AND coalesce(sum(size_of(f.task)) OVER before, 0) <= $5 AS fits FROM (
          SELECT t AS task, to_json(ARRAY[%1$s]::text[]) AS place, row_number() OVER (ORDER BY %2$s) AS n FROM %7$s
          WHERE t.queue = $1 AND t.state = %3$L %8$s %4$s AND (%1$s) %5$s (%6$s) ORDER BY %2$s LIMIT $3 + 1
        ) f
        WINDOW before AS (ORDER BY f.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
      ) p
    $list$,
    (SELECT string_agg('t.' || c, ', ') FROM unnest(columns) c),
    (SELECT string_agg('t.' || c || CASE WHEN is_backwards THEN ' DESC' ELSE '' END, ', ') FROM unnest(columns) c),
    said ->> 'state',
    CASE WHEN columns[1] = 'remove_at' THEN 'AND t.remove_at > $4' ELSE '' END,
    CASE WHEN is_backwards THEN '<' ELSE '>' END,
    (SELECT string_agg(format('($2)[%s]', n), ', ') FROM generate_series(1, cardinality(columns)) n),
    -- The way to those that run is by their claims.
    CASE
      WHEN said ->> 'state' = 'pending' THEN
        'leases l JOIN tasks t ON t.queue = l.queue AND t.id = ANY (l.tasks) AND t.epoch = l.epoch AND l.queue = $1'
      ELSE 'tasks t'
    END,
    CASE WHEN said ->> 'state' <> 'pending' THEN format('AND t.shelf = %L', said ->> 'state') END
  ) INTO answer USING said ->> 'queue', place::bigint[], (said ->> 'limit')::integer, now_ms(), coalesce((said ->> 'bytes')::bigint, never());
  RETURN answer;
END $$ SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off;

-- Argument: { queue }. Answer: { state: count }, without those that have none.
CREATE OR REPLACE FUNCTION counts_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT c.counts FROM counts_of(ARRAY[asked::json ->> 'queue'], now_ms()) c), '{}')::text;
END $$ SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off;

-- The earliest due time of the tasks that wait, those included that no claim has promoted yet. Those of one priority lie in its
-- order: one look for each priority that there is.
CREATE OR REPLACE FUNCTION oldest_due(asked_queue text, now bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  WITH RECURSIVE first_ones AS (
    (SELECT t.priority, t.due_at FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting'
      ORDER BY t.priority, t.due_at, t.arrival LIMIT 1)
    UNION ALL
    SELECT n.priority, n.due_at FROM first_ones f CROSS JOIN LATERAL (
      SELECT t.priority, t.due_at FROM tasks t
      WHERE t.queue = asked_queue AND t.shelf = 'waiting' AND t.state = 'waiting' AND t.priority > f.priority
      ORDER BY t.priority, t.due_at, t.arrival LIMIT 1
    ) n
  )
  SELECT least(
    (SELECT min(f.due_at) FROM first_ones f),
    (SELECT t.due_at FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'scheduled' AND t.due_at <= now
      ORDER BY t.due_at, t.arrival LIMIT 1)
  )
$$;

-- How many scheduled tasks are due, ten thousand at most.
CREATE OR REPLACE FUNCTION count_due(asked_queue text, now bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM (
    SELECT FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'scheduled' AND t.due_at <= now LIMIT 10000
  ) d
$$;

-- Argument: [queue …]. Answer: per queue [{ state: count }, how long the oldest has waited?, how long it is paused?, how many that are
-- scheduled are due], for how long 0: for good.
CREATE OR REPLACE FUNCTION glance_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  now bigint := now_ms();
  names text[] := ARRAY(SELECT json_array_elements_text(asked::json));
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_array(
      coalesce(c.counts, '{}'), now - oldest_due(a.queue, now),
      CASE WHEN q.paused_until = never() THEN 0 WHEN q.paused_until > now THEN q.paused_until - now END,
      count_due(a.queue, now)
    ) ORDER BY a.n), '[]')
    FROM unnest(names) WITH ORDINALITY AS a (queue, n)
    LEFT JOIN counts_of(names, now) c ON c.queue = a.queue LEFT JOIN queues q ON q.queue = a.queue
  );
END $$ SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off;

-- Every queue that has held a task or a schedule.
CREATE OR REPLACE FUNCTION queues_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(json_agg(q.queue ORDER BY q.queue), '[]')::text FROM queues q WHERE q.is_known
$$ SET search_path FROM CURRENT;

-- Argument: [queue …], which hold, or are about to hold, a task or a schedule.
CREATE OR REPLACE FUNCTION know_v1(asked text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO queues (queue) SELECT json_array_elements_text(asked::json)
  ON CONFLICT (queue) DO UPDATE SET is_known = true WHERE NOT queues.is_known
$$ SET search_path FROM CURRENT;

-- Argument: { queue, for? }: how long from now; none: for good; 0 ends it.
CREATE OR REPLACE FUNCTION pause_v1(asked text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO queues (queue, paused_until, is_known)
  VALUES (asked::json ->> 'queue', end_of(now_ms(), (asked::json ->> 'for')::bigint), false)
  ON CONFLICT (queue) DO UPDATE SET paused_until = excluded.paused_until
$$ SET search_path FROM CURRENT;

CREATE OR REPLACE FUNCTION is_paused_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM queues q WHERE q.queue = asked::json ->> 'queue' AND q.paused_until > now_ms()
  )::text
$$ SET search_path FROM CURRENT;
