-- Stores a schedule: see `put` of the contract. Argument: { queue, id, job, rule, template, nextSlot?, firstSlot?, lastSlot?, isPaused?,
-- isDeclared, when }; without `nextSlot` it is now. Answer: [status, whether a slot may have come nearer].
CREATE OR REPLACE FUNCTION put_schedule_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  now bigint := now_ms();
  slot bigint := coalesce((said ->> 'nextSlot')::bigint, now);
  is_declared boolean := (said ->> 'isDeclared')::boolean;
  existing schedules;
  is_deferred boolean;
BEGIN
  FOR try IN 1..100 LOOP
    SELECT * INTO existing FROM schedules s WHERE s.queue = said ->> 'queue' AND s.id = said ->> 'id' FOR UPDATE;
    IF existing.id IS NULL THEN
      INSERT INTO schedules (
        queue, id, job, rule, template, first_slot, next_slot, look_at, last_slot, is_paused, version, declared_at
      ) VALUES (
        said ->> 'queue', said ->> 'id', said ->> 'job', said ->> 'rule', said ->> 'template',
        coalesce((said ->> 'firstSlot')::bigint, slot), slot, CASE WHEN (said ->> 'isPaused')::boolean THEN never() ELSE slot END,
        (said ->> 'lastSlot')::bigint, coalesce((said ->> 'isPaused')::boolean, false), nextval('versions'),
        CASE WHEN is_declared THEN now END
      ) ON CONFLICT DO NOTHING;
      CONTINUE WHEN NOT FOUND;
      RETURN json_build_array('stored', true);
    END IF;
    IF said ->> 'when' = 'absent' THEN RETURN json_build_array('existing', false); END IF;
    IF existing.rule = said ->> 'rule' THEN
      -- It keeps its place; what its tasks are made from may have changed.
      is_deferred := NOT existing.is_paused AND existing.look_at <> existing.next_slot;
      UPDATE schedules s SET
        version = CASE WHEN s.job = said ->> 'job' AND s.template = said ->> 'template' THEN s.version ELSE nextval('versions') END,
        job = said ->> 'job', template = said ->> 'template',
        declared_at = CASE WHEN is_declared THEN now ELSE s.declared_at END,
        look_at = CASE WHEN s.is_paused THEN s.look_at ELSE s.next_slot END
      WHERE s.queue = existing.queue AND s.id = existing.id;
      RETURN json_build_array('existing', is_deferred);
    END IF;
    -- A slot that has been passed would be fired a second time.
    IF said ->> 'nextSlot' IS NOT NULL AND slot <= existing.last_slot THEN RETURN json_build_array('passed', false); END IF;
    UPDATE schedules s SET
      job = said ->> 'job', rule = said ->> 'rule', template = said ->> 'template',
      first_slot = coalesce((said ->> 'firstSlot')::bigint, slot), next_slot = slot,
      look_at = CASE WHEN s.is_paused THEN never() ELSE slot END, version = nextval('versions'),
      declared_at = CASE WHEN is_declared THEN now END
    WHERE s.queue = existing.queue AND s.id = existing.id;
    RETURN json_build_array('replaced', true);
  END LOOP;
  RAISE EXCEPTION 'the schedule % changes too fast', said ->> 'id' USING ERRCODE = 'serialization_failure';
END $$ SET search_path FROM CURRENT;

-- Argument: [[queue, id] …]. Answer: the numbers, from 0, of those that are gone.
CREATE OR REPLACE FUNCTION declare_v1(asked text) RETURNS text LANGUAGE sql AS $$
  WITH refs AS MATERIALIZED (
    SELECT r ->> 0 AS queue, r ->> 1 AS id, n FROM json_array_elements(asked::json) WITH ORDINALITY AS u (r, n)
  ),
  declared AS (
    UPDATE schedules s SET declared_at = now_ms() FROM refs r
    WHERE s.queue = r.queue AND s.id = r.id AND s.declared_at IS NOT NULL
  )
  SELECT coalesce(json_agg(r.n - 1 ORDER BY r.n), '[]')::text FROM refs r
  WHERE NOT EXISTS (SELECT FROM schedules s WHERE s.queue = r.queue AND s.id = r.id)
$$ SET search_path FROM CURRENT;

-- Argument: { queue, id, declaredAt? }. Answer: whether it was there and is gone now.
CREATE OR REPLACE FUNCTION remove_schedule_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
BEGIN
  DELETE FROM schedules s WHERE s.queue = said ->> 'queue' AND s.id = said ->> 'id'
    AND (said ->> 'declaredAt' IS NULL OR s.declared_at = (said ->> 'declaredAt')::bigint);
  RETURN FOUND::text;
END $$ SET search_path FROM CURRENT;

CREATE OR REPLACE FUNCTION schedule_of(s schedules) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_array(
    s.queue, s.id, s.job, s.rule, s.template, s.first_slot, s.next_slot, s.last_slot, s.last_task, s.fired, s.skipped,
    s.is_paused, s.version, s.declared_at
  )
$$;

-- Argument: { queue, id }. Answer: the schedule, if there is one.
CREATE OR REPLACE FUNCTION get_schedule_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT schedule_of(s)::text FROM schedules s WHERE s.queue = asked::json ->> 'queue' AND s.id = asked::json ->> 'id'
$$ SET search_path FROM CURRENT;

-- Argument: { queue, limit, place?: [moment, id] }. Answer: [schedules in the order in which they are looked at, behind the place;
-- the place of the last of them, as texts, if there are more].
CREATE OR REPLACE FUNCTION list_schedules_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  said json := asked::json;
  most integer := (said ->> 'limit')::integer;
  -- No id is empty.
  from_moment bigint := coalesce((said -> 'place' ->> 0)::bigint, -9223372036854775808);
  from_id text := coalesce(said -> 'place' ->> 1, '');
BEGIN
  RETURN (
    SELECT json_build_array(
      coalesce(json_agg(schedule_of(p.s) ORDER BY p.n) FILTER (WHERE p.n <= most), '[]'),
      CASE WHEN count(*) > most THEN (array_agg(json_build_array((p.s).look_at::text, (p.s).id)) FILTER (WHERE p.n = most))[1] END
    )::text FROM (
      SELECT s, row_number() OVER (ORDER BY s.look_at, s.id) AS n FROM schedules s
      WHERE s.queue = said ->> 'queue' AND (s.look_at, s.id) > (from_moment, from_id)
      ORDER BY s.look_at, s.id LIMIT most + 1
    ) p
  );
END $$ SET search_path FROM CURRENT;

-- Schedules whose slot has come. Argument: [[queue, skip] …]. Answer: [now, when the next is looked at (0: now; none: after a
-- bell), schedules].
CREATE OR REPLACE FUNCTION due_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  now bigint := now_ms();
  most integer := 1000;
  due json[] := '{}';
  part json[];
  next_at bigint;
  opens_at bigint;
  one record;
BEGIN
  FOR one IN
    SELECT q ->> 0 AS queue, (q ->> 1)::integer AS skip, coalesce(p.paused_until, 0) AS paused_until
    FROM json_array_elements(asked::json) q LEFT JOIN queues p ON p.queue = q ->> 0
  LOOP
    IF one.paused_until > now THEN
      SELECT CASE WHEN min(s.look_at) IS NOT NULL THEN greatest(min(s.look_at), one.paused_until) END INTO opens_at FROM schedules s WHERE s.queue = one.queue;
    ELSE
      part := ARRAY(
        SELECT json_build_array(s.look_at, schedule_of(s)) FROM schedules s
        WHERE s.queue = one.queue AND s.look_at <= now ORDER BY s.look_at, s.id OFFSET one.skip LIMIT most + 1
      );
      due := due || part;
      SELECT min(s.look_at) INTO opens_at FROM schedules s WHERE s.queue = one.queue AND s.look_at > now;
    END IF;
    next_at := least(next_at, nullif(opens_at, never()));
  END LOOP;
  IF cardinality(due) > most THEN next_at := now; END IF;
  RETURN json_build_array(now, next_at - now, (
    SELECT coalesce(json_agg(o.f -> 1 ORDER BY o.look_at, o.n), '[]') FROM (
      SELECT u.f, (u.f ->> 0)::bigint AS look_at, u.n FROM unnest(due) WITH ORDINALITY AS u (f, n) ORDER BY 2, 3 LIMIT most
    ) o
  ))::text;
END $$ SET search_path FROM CURRENT;

-- Argument: { for, seen: [[queue, id, nextSlot] …] }: those that still stand there are looked at later.
CREATE OR REPLACE FUNCTION defer_v1(asked text) RETURNS void LANGUAGE sql AS $$
  UPDATE schedules s SET look_at = greatest(s.next_slot, now_ms() + (asked::json ->> 'for')::bigint)
  FROM json_array_elements(asked::json -> 'seen') r
  WHERE s.queue = r ->> 0 AND s.id = r ->> 1 AND s.next_slot = (r ->> 2)::bigint AND NOT s.is_paused
$$ SET search_path FROM CURRENT;

-- Argument: { queue, id }. Answer: whether there is such a schedule.
CREATE OR REPLACE FUNCTION pause_schedule_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE schedules s SET is_paused = true, look_at = never()
    WHERE s.queue = asked::json ->> 'queue' AND s.id = asked::json ->> 'id';
  RETURN FOUND::text;
END $$ SET search_path FROM CURRENT;

-- Argument: { queue, id, slot, nextSlot }. Answer: whether it was paused and stood there.
CREATE OR REPLACE FUNCTION resume_schedule_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
BEGIN
  UPDATE schedules s SET is_paused = false, next_slot = (said ->> 'nextSlot')::bigint, look_at = (said ->> 'nextSlot')::bigint
    WHERE s.queue = said ->> 'queue' AND s.id = said ->> 'id' AND s.is_paused AND s.next_slot = (said ->> 'slot')::bigint;
  RETURN FOUND::text;
END $$ SET search_path FROM CURRENT;

-- The database's time.
CREATE OR REPLACE FUNCTION now_v1(asked text) RETURNS text LANGUAGE sql AS $$
  SELECT now_ms()::text
$$ SET search_path FROM CURRENT;
