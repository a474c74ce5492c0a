-- Puts tasks that another definition of their job has parked back to waiting, a thousand at most.
-- Argument: { queue, definitions: [[job, fingerprint] …], after? }. Answer: [count, after?].
CREATE OR REPLACE FUNCTION unpark_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  until bigint := coalesce((said ->> 'after')::bigint, (SELECT last_value FROM parkings));
  count integer;
BEGIN
  UPDATE tasks SET state = 'waiting', reason = NULL, fingerprint = NULL, parking = NULL WHERE ctid = ANY (ARRAY(
    SELECT t.ctid FROM json_array_elements(said -> 'definitions') d
    JOIN tasks t ON t.queue = said ->> 'queue' AND t.shelf = 'parked' AND t.job = d ->> 0 AND t.parking <= until
      AND t.fingerprint <> '' AND t.fingerprint <> d ->> 1 AND t.reason <> 'unknown-job'
    LIMIT 1000 FOR UPDATE OF t SKIP LOCKED
  ));
  GET DIAGNOSTICS count = ROW_COUNT;
  PERFORM moved(said ->> 'queue', 'parked', 'waiting', count);
  RETURN json_build_array(count, CASE WHEN count = 1000 THEN until::text END)::text;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
