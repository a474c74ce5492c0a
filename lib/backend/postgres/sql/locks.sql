-- Argument: { queue, key, holder? }. Answer: [key, holder, phase], if it is held.
CREATE OR REPLACE FUNCTION lock_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT json_build_array(t.held_key, t.id, t.lock_phase)::text FROM tasks t
  WHERE t.queue = asked::json ->> 'queue' AND t.held_key = asked::json ->> 'key'
    AND t.id = coalesce(asked::json ->> 'holder', t.id) AND NOT lock_is_over(t, now_ms())
$$ SET search_path FROM CURRENT;

-- Argument: { queue, limit, after? }. Answer: [[key, holder, phase] …], by key; with one more than asked for there are more.
CREATE OR REPLACE FUNCTION locks_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(json_agg(json_build_array(l.held_key, l.id, l.lock_phase)), '[]')::text FROM (
    SELECT t.held_key, t.id, t.lock_phase FROM tasks t
    WHERE t.queue = asked::json ->> 'queue' AND t.held_key > coalesce(asked::json ->> 'after', '')
      AND NOT lock_is_over(t, now_ms())
    ORDER BY t.held_key LIMIT (asked::json ->> 'limit')::integer + 1
  ) l
$$ SET search_path FROM CURRENT;

-- Frees a lock; its task goes on without it. Argument: { queue, key, holder? }. Answer: whether it was held.
CREATE OR REPLACE FUNCTION release_lock_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
BEGIN
  UPDATE tasks t SET held_key = NULL
    WHERE t.queue = said ->> 'queue' AND t.held_key = said ->> 'key' AND t.id = coalesce(said ->> 'holder', t.id)
      AND NOT lock_is_over(t, now_ms());
  RETURN FOUND::text;
EXCEPTION WHEN lock_not_available THEN
  -- An open transaction has its holder in hand: whatever becomes of that, nobody waits for it here.
  RETURN 'false';
END $$ SET search_path FROM CURRENT SET lock_timeout = '200ms';
