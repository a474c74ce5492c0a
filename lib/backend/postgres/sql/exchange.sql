-- What a busy runner sends: the outcomes of the moment and the next claim, in one step and one commit.
-- Argument: { done?, outcomes?, claim, flush?, deadKeep, cancelledKeep }, see `settle_all` and `claim_all`. With `flush` a claim
-- is on disk when it is answered, whatever goes with it.
-- Answer: [letters, tasks, nexts].
CREATE OR REPLACE FUNCTION exchange_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  now bigint := now_ms();
  dead_keep bigint := (said ->> 'deadKeep')::bigint;
  cancelled_keep bigint := (said ->> 'cancelledKeep')::bigint;
  letters text := '';
  claim record;
BEGIN
  IF said -> 'done' IS NULL AND said -> 'outcomes' IS NULL THEN
    -- A claim that a crash of the server forgets has acknowledged nothing: the task is waiting again, and its run is fenced.
    IF said ->> 'flush' IS NULL THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
  ELSE
    letters := settle_all(said -> 'done', said -> 'outcomes', cancelled_keep, now);
  END IF;
  claim := claim_all(said -> 'claim', dead_keep, cancelled_keep, now);
  RETURN '["' || letters || '",' || claim.claims || ',' || claim.nexts || ']';
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET lock_timeout = '200ms' SET jit = off
  -- The plan must not flip, whatever the statistics say: every look is by an index that has its order.
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET enable_sort = off;
