-- Forgets finished tasks whose time is over, a thousand of each kind at most. Answers whether there may be more.
CREATE OR REPLACE FUNCTION purge(asked_queue text, now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  ended text;
  gone integer;
  has_more boolean := false;
BEGIN
  FOREACH ended IN ARRAY ARRAY['succeeded', 'dead', 'cancelled'] LOOP
    DELETE FROM tasks WHERE ctid = ANY (ARRAY(
      SELECT t.ctid FROM tasks t WHERE t.queue = asked_queue AND t.shelf = ended AND t.remove_at <= now
      ORDER BY t.remove_at, t.arrival LIMIT 1000 FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM moved(asked_queue, ended, NULL, gone);
    has_more := has_more OR gone = 1000;
  END LOOP;
  RETURN has_more;
END $$;

-- Forgets calls that nobody repeats any more, some thousands at most.
CREATE OR REPLACE FUNCTION forget_calls(before bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM calls WHERE call = ANY (ARRAY(
    SELECT c.call FROM calls c WHERE c.at < before ORDER BY c.at LIMIT 5000 FOR UPDATE SKIP LOCKED
  ))
$$;

-- Forgets what is past its retention, notes of claims that are done, and calls older than so many milliseconds; and adds moves to the
-- counters. Argument: { queues, remember }. Answer: whether there may be more.
CREATE OR REPLACE FUNCTION purge_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  now bigint := now_ms();
  has_more boolean := false;
  named text;
BEGIN
  -- What a crash of the server forgets of it is forgotten anew.
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR named IN SELECT json_array_elements_text(said -> 'queues') LOOP
    has_more := purge(named, now) OR has_more;
  END LOOP;
  PERFORM forget_calls(now - (said ->> 'remember')::bigint);
  PERFORM fold();
  -- Last: nobody who has done what they note is to wait for the rest.
  FOR named IN SELECT json_array_elements_text(said -> 'queues') LOOP
    has_more := tidy_leases(named, now) OR has_more;
  END LOOP;
  RETURN has_more::text;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET lock_timeout = '1s' SET jit = off
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off;
