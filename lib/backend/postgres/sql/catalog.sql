-- A task as a reader gets it.
CREATE OR REPLACE FUNCTION record_of(t tasks) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_array(
    t.id, t.job, t.params, t.extra, t.state, t.priority, t.enqueued_at, t.due_at, t.expires_at, t.attempt, t.failures, t.retries,
    t.keep_ms, t.errors, t.result, t.reason, t.runner, t.lease_ends_at, t.cancel_requested, t.finished_at, t.lock_key,
    t.lock_phase, t.lock_conflict, t.lock_ttl_ms, t.lock_retry_after_ms, t.schedule_id, t.slot
  )
$$;

-- Argument: { queue, id }. Answer: the task, if there is one.
CREATE OR REPLACE FUNCTION get_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT record_of(t)::text FROM tasks t
  WHERE t.queue = asked::json ->> 'queue' AND t.id = asked::json ->> 'id' AND (t.remove_at IS NULL OR t.remove_at > now_ms())
$$ SET search_path FROM CURRENT;

-- Argument: { queue, state, limit, after? }. Answer: tasks of one state, in the order in which it is worked off.
CREATE OR REPLACE FUNCTION list_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  said json := asked::json;
  asked_queue text := said ->> 'queue';
  asked_state text := said ->> 'state';
  most integer := (said ->> 'limit')::integer;
  last tasks;
  listed json;
BEGIN
  IF said ->> 'after' IS NOT NULL THEN
    SELECT * INTO last FROM tasks t WHERE t.queue = asked_queue AND t.id = said ->> 'after' AND t.state = asked_state;
    -- One that has left the state cannot say where to go on; better an end than a second beginning.
    IF last.id IS NULL THEN RETURN '[]'; END IF;
  END IF;
  CASE asked_state
    WHEN 'waiting' THEN
      SELECT json_agg(record_of(p.t)) INTO listed FROM (
        SELECT t FROM tasks t WHERE t.queue = asked_queue AND t.state = 'waiting'
          AND (last.id IS NULL OR (t.priority, t.due_at, t.arrival) > (last.priority, last.due_at, last.arrival))
        ORDER BY t.priority, t.due_at, t.arrival LIMIT most
      ) p;
    WHEN 'scheduled' THEN
      SELECT json_agg(record_of(p.t)) INTO listed FROM (
        SELECT t FROM tasks t WHERE t.queue = asked_queue AND t.state = 'scheduled'
          AND (last.id IS NULL OR (t.due_at, t.arrival) > (last.due_at, last.arrival))
        ORDER BY t.due_at, t.arrival LIMIT most
      ) p;
    WHEN 'pending' THEN
      SELECT json_agg(record_of(p.t)) INTO listed FROM (
        SELECT t FROM tasks t WHERE t.queue = asked_queue AND t.state = 'pending'
          AND (last.id IS NULL OR (t.lease_ends_at, t.arrival) > (last.lease_ends_at, last.arrival))
        ORDER BY t.lease_ends_at, t.arrival LIMIT most
      ) p;
    WHEN 'parked' THEN
      SELECT json_agg(record_of(p.t)) INTO listed FROM (
        SELECT t FROM tasks t WHERE t.queue = asked_queue AND t.state = 'parked'
          AND (last.id IS NULL OR (t.due_at, t.arrival) > (last.due_at, last.arrival))
        ORDER BY t.due_at, t.arrival LIMIT most
      ) p;
    ELSE
      SELECT json_agg(record_of(p.t)) INTO listed FROM (
        SELECT t FROM tasks t WHERE t.queue = asked_queue AND t.state = asked_state AND t.remove_at > now_ms()
          AND (last.id IS NULL OR (t.remove_at, t.arrival) > (last.remove_at, last.arrival))
        ORDER BY t.remove_at, t.arrival LIMIT most
      ) p;
  END CASE;
  RETURN coalesce(listed, '[]')::text;
END $$ SET search_path FROM CURRENT;

-- Argument: { queue }. Answer: { state: count }, without those that have none.
CREATE OR REPLACE FUNCTION counts_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(json_object_agg(c.state, c.count), '{}')::text FROM (
    SELECT t.state, count(*) FROM tasks t
    WHERE t.queue = asked::json ->> 'queue' AND (t.remove_at IS NULL OR t.remove_at > now_ms()) GROUP BY t.state
  ) c
$$ SET search_path FROM CURRENT;

-- Every queue that has held a task or a schedule.
CREATE OR REPLACE FUNCTION queues_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(json_agg(q.queue ORDER BY q.queue), '[]')::text FROM queues q WHERE q.is_known
$$ SET search_path FROM CURRENT;

-- Argument: [queue …], which hold, or are about to hold, a task or a schedule.
CREATE OR REPLACE FUNCTION know_v1(asked text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO queues (queue) SELECT json_array_elements_text(asked::json)
  ON CONFLICT (queue) DO UPDATE SET is_known = true WHERE NOT queues.is_known
$$ SET search_path FROM CURRENT;

-- Argument: { queue, for? }: how long from now; none: for good; 0 ends it.
CREATE OR REPLACE FUNCTION pause_v1(asked text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO queues (queue, paused_until, is_known)
  VALUES (asked::json ->> 'queue', end_of(now_ms(), (asked::json ->> 'for')::bigint), false)
  ON CONFLICT (queue) DO UPDATE SET paused_until = excluded.paused_until
$$ SET search_path FROM CURRENT;

CREATE OR REPLACE FUNCTION is_paused_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM queues q WHERE q.queue = asked::json ->> 'queue' AND q.paused_until > now_ms()
  )::text
$$ SET search_path FROM CURRENT;
