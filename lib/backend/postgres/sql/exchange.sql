-- What a busy runner sends: the outcomes of the moment and the next claim, in one step and one commit.
-- Arguments: the queues to claim from, and how many from each; { limit, leaseMs, …, deadKeep, cancelledKeep, flush?, outcomes? }, see
-- `claim_all` and `settle_all`; and what is done, as queues, ids and epochs. With `flush` a claim is on disk when it is answered,
-- whatever goes with it.
-- Answer: letters and nexts, then the tasks, with separators, see `claimed_text`.
CREATE OR REPLACE FUNCTION exchange_v1(
  names text[], room integer[], asked text, done_queues text[], done_ids text[], done_epochs bigint[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  now bigint := now_ms();
  dead_keep bigint := (said ->> 'deadKeep')::bigint;
  cancelled_keep bigint := (said ->> 'cancelledKeep')::bigint;
  letters text := '';
  claim record;
BEGIN
  IF cardinality(done_ids) > 0 OR said -> 'outcomes' IS NOT NULL THEN
    letters := settle_all(done_queues, done_ids, done_epochs, said -> 'outcomes', cancelled_keep, now);
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
