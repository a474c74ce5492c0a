-- Prolongs leases from the database's now. Argument: { leaseMs, leases: [[queue, id, epoch] …] }. Answer: a letter for each, as one text:
-- k kept, l lost, c kept but asked to stop, u unknown, since another transaction has the task in hand.
CREATE OR REPLACE FUNCTION renew_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  until bigint := now_ms() + (said ->> 'leaseMs')::bigint;
  letters text;
BEGIN
  -- A renewal that a crash of the server forgets leaves the lease that was there before it.
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH held AS MATERIALIZED (
    SELECT l ->> 0 AS queue, l ->> 1 AS id, (l ->> 2)::bigint AS epoch, n
    FROM json_array_elements(said -> 'leases') WITH ORDINALITY AS u (l, n)
  ),
  mine AS MATERIALIZED (
    SELECT t.ctid AS place, h.n, t.cancel_requested FROM held h
    JOIN tasks t ON t.queue = h.queue AND t.id = h.id AND t.epoch = h.epoch AND t.lease_ends_at IS NOT NULL
    FOR UPDATE OF t SKIP LOCKED
  ),
  renewed AS (
    -- Who needs longer than that no longer stays among those that wait: every claim would pass over it.
    UPDATE tasks t SET lease_ends_at = until, stays = false FROM mine m WHERE t.ctid = m.place RETURNING m.n, m.cancel_requested
  )
  SELECT string_agg(
    CASE
      WHEN r.cancel_requested THEN 'c'
      WHEN r.n IS NOT NULL THEN 'k'
      WHEN EXISTS (
        SELECT FROM tasks t WHERE t.queue = h.queue AND t.id = h.id AND t.epoch = h.epoch AND t.lease_ends_at IS NOT NULL
      ) THEN 'u'
      ELSE 'l'
    END, '' ORDER BY h.n
  ) INTO letters FROM held h LEFT JOIN renewed r ON r.n = h.n;
  RETURN to_json(coalesce(letters, ''))::text;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan
  SET lock_timeout = '1s' SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
