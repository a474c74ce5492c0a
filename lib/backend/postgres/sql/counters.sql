-- Counts tasks that went from one state to another; none: that came, or are gone.
CREATE OR REPLACE FUNCTION moved(queue text, came_from text, went_to text, tasks integer DEFAULT 1) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF tasks > 0 THEN INSERT INTO moves VALUES (tasks, queue, came_from, went_to); END IF;
END $$;

-- Adds moves to the counters, ten thousand at most: one process at a time, the others leave it to that. So nobody ever waits for
-- a counter, and none is changed but here.
CREATE OR REPLACE FUNCTION fold() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Some are sooner read than folded.
  IF (SELECT count(*) FROM (SELECT FROM moves LIMIT 100) m) < 100 THEN RETURN; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtext('nestjs-jobs:fold')::bigint << 32 | 'counters'::regclass::oid::bigint) THEN RETURN; END IF;
  WITH taken AS (
    DELETE FROM moves WHERE ctid = ANY (ARRAY(SELECT m.ctid FROM moves m LIMIT 10000))
    RETURNING queue, came_from, went_to, moves.tasks
  )
  INSERT INTO counters AS c
    SELECT u.queue, u.state, sum(u.tasks) FROM (
      SELECT t.queue, t.came_from AS state, -t.tasks AS tasks FROM taken t WHERE t.came_from IS NOT NULL
      UNION ALL SELECT t.queue, t.went_to, t.tasks FROM taken t WHERE t.went_to IS NOT NULL
    ) u GROUP BY u.queue, u.state HAVING sum(u.tasks) <> 0
  ON CONFLICT (queue, state) DO UPDATE SET tasks = c.tasks + excluded.tasks;
END $$;

CREATE OR REPLACE FUNCTION fold_v1(asked text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM fold();
END $$ SET search_path FROM CURRENT SET jit = off;

-- Per queue and state how many tasks there are, without those that have none. What is past its retention is no longer there,
-- though it may not have been taken away yet.
CREATE OR REPLACE FUNCTION counts_of(queues text[], now bigint) RETURNS TABLE (queue text, counts json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT c.queue, json_object_agg(c.state, c.tasks) FROM (
    SELECT u.queue, u.state, sum(u.tasks) AS tasks FROM (
      SELECT k.queue, k.state, k.tasks FROM counters k WHERE k.queue = ANY (queues)
      UNION ALL SELECT m.queue, m.came_from, -m.tasks FROM moves m WHERE m.queue = ANY (queues) AND m.came_from IS NOT NULL
      UNION ALL SELECT m.queue, m.went_to, m.tasks FROM moves m WHERE m.queue = ANY (queues) AND m.went_to IS NOT NULL
      UNION ALL
      SELECT q.queue, s.state, -(
        SELECT count(*) FROM tasks t WHERE t.queue = q.queue AND t.shelf = s.state AND t.remove_at <= now
      ) FROM (SELECT DISTINCT a AS queue FROM unnest(queues) a) q, (VALUES ('succeeded'), ('dead'), ('cancelled')) s (state)
    ) u GROUP BY u.queue, u.state HAVING sum(u.tasks) <> 0
  ) c GROUP BY c.queue;
END $$;
