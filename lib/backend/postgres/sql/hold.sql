-- Takes a task in hand until the transaction ends, so that nobody changes it meanwhile, not even to renew its lease. Argument: [queue, id].
CREATE OR REPLACE FUNCTION hold_v1(asked text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM tasks t WHERE t.queue = asked::json ->> 0 AND t.id = asked::json ->> 1 FOR UPDATE;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off;
