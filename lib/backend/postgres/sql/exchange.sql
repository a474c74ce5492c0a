-- What a runner sends: outcomes that a claim must know of, and the claim, in one step and one commit.
-- Arguments: the queues to claim from, and how many from each; { limit, leaseMs, …, deadKeep, cancelledKeep, flush?, outcomes? }, see
-- `claim_all` and `settle_all`. With `flush` a claim is on disk when it is answered, whatever goes with it.
-- Answer: letters and nexts, then the tasks, with separators, see `claimed_text`.
CREATE OR REPLACE FUNCTION exchange_v1(names text[], room integer[], asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  now bigint := now_ms();
  dead_keep bigint := (said ->> 'deadKeep')::bigint;
  cancelled_keep bigint := (said ->> 'cancelledKeep')::bigint;
  letters text := '';
  claim record;
BEGIN
  IF said -> 'outcomes' IS NOT NULL THEN
    letters := settle_all(said -> 'outcomes', cancelled_keep, now);
  ELSIF said ->> 'flush' IS NULL THEN
    -- A claim that a crash of the server forgets has acknowledged nothing: the task is waiting again, and its run is fenced.
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  claim := claim_all(names, room, said, dead_keep, cancelled_keep, now);
  RETURN letters || claim.nexts || claim.claimed;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET lock_timeout = '200ms' SET jit = off
  -- The plan must not flip, whatever the statistics say: every look is by an index that has its order.
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET enable_sort = off;
