-- Writes down what running tasks say: progress instead of the one before, lines behind those before. Fenced.
-- Argument: [[queue, id, epoch, progress?, lines?] …], each task once. Answer: the numbers, from 0, of those that another
-- transaction has in hand: they are left as they were.
CREATE OR REPLACE FUNCTION annotate_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  left_out json;
BEGIN
  -- What a crash of the server forgets of it changes no task's way.
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH said AS MATERIALIZED (
    SELECT s ->> 0 AS queue, s ->> 1 AS id, (s ->> 2)::bigint AS epoch,
      nullif(s -> 3, 'null') AS progress, nullif(s -> 4, 'null') AS lines, n
    FROM jsonb_array_elements(asked::jsonb) WITH ORDINALITY AS u (s, n)
  ),
  mine AS MATERIALIZED (
    SELECT t.ctid AS place, s.progress, s.lines, s.n FROM said s
    JOIN tasks t ON t.queue = s.queue AND t.id = s.id AND t.epoch = s.epoch AND t.lease_ends_at IS NOT NULL
    FOR UPDATE OF t SKIP LOCKED
  ),
  noted AS (
    UPDATE tasks t SET progress = coalesce(m.progress, t.progress), lines = with_lines(t.lines, m.lines)
    FROM mine m WHERE t.ctid = m.place RETURNING m.n
  )
  SELECT json_agg(s.n - 1) INTO left_out FROM said s LEFT JOIN noted d ON d.n = s.n
  WHERE d.n IS NULL AND EXISTS (
    SELECT FROM tasks t WHERE t.queue = s.queue AND t.id = s.id AND t.epoch = s.epoch AND t.lease_ends_at IS NOT NULL
  );
  RETURN coalesce(left_out, '[]')::text;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan
  SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
