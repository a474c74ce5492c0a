-- The task that a schedule made last, in hand, unless it has ended, or will without another run. One that is parked counts: the
-- next one would end there too, and so on without end.
CREATE OR REPLACE FUNCTION live_task(schedule schedules, now bigint) RETURNS tasks LANGUAGE plpgsql AS $$
DECLARE
  task tasks;
BEGIN
  SELECT * INTO task FROM tasks t WHERE t.queue = schedule.queue AND t.id = schedule.last_task FOR UPDATE;
  IF task.state IN ('scheduled', 'waiting', 'parked') THEN RETURN task; END IF;
  IF task.state = 'pending' AND (
    task.lease_ends_at > now OR (NOT task.cancel_requested AND (task.in_conflict OR task.attempt <= task.retries))
  ) THEN RETURN task; END IF;
  RETURN NULL;
END $$;

-- Moves a schedule on and adds the task of its slot, unless another was first: see `advance` of the contract.
CREATE OR REPLACE FUNCTION advance_one(step json, cancelled_keep bigint, now bigint) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  schedule schedules;
  given new_task;
  live tasks;
  added record;
  status text;
  holder text;
  stopped text;
  has_task boolean := step -> 'task' IS NOT NULL;
BEGIN
  SELECT * INTO schedule FROM schedules s WHERE s.queue = step ->> 'queue' AND s.id = step ->> 'id' FOR UPDATE;
  IF schedule.id IS NULL OR schedule.is_paused OR schedule.next_slot <> (step ->> 'slot')::bigint
    OR schedule.version <> (step ->> 'version')::bigint THEN RETURN json_build_array('lost'); END IF;

  IF has_task AND step ->> 'overlap' <> 'queue' AND schedule.last_task IS NOT NULL THEN
    live := live_task(schedule, now);
  END IF;
  IF has_task AND (live.id IS NULL OR step ->> 'overlap' = 'replace') THEN
    given := json_populate_record(NULL::new_task, step -> 'task');
    BEGIN
      IF live.id IS NOT NULL THEN stopped := stop(live, 'replaced by the next slot', cancelled_keep, now); END IF;
      added := add_one(given, now);
      IF added.status = 'rejected' AND added.holder <> live.id THEN RAISE EXCEPTION 'locked out' USING ERRCODE = 'NJ002'; END IF;
    EXCEPTION WHEN SQLSTATE 'NJ002' THEN
      -- No task is made, and so none is stopped.
      stopped := NULL;
      live := NULL;
    END;
    status := CASE WHEN added.status = 'rejected' AND given.conflict = 'raise' THEN 'raised' ELSE added.status END;
    holder := added.holder;
  END IF;

  IF step ->> 'nextSlot' IS NULL THEN
    DELETE FROM schedules s WHERE s.queue = schedule.queue AND s.id = schedule.id;
  ELSE
    IF status IN ('enqueued', 'replaced') THEN
      schedule.fired := schedule.fired + 1;
      schedule.last_task := CASE WHEN status = 'replaced' THEN coalesce(holder, given.id) ELSE given.id END;
    ELSIF has_task THEN
      schedule.skipped := schedule.skipped + 1;
    END IF;
    UPDATE schedules s SET
      fired = schedule.fired, skipped = schedule.skipped + (step ->> 'skipped')::bigint, last_task = schedule.last_task,
      last_slot = greatest(schedule.last_slot, (step ->> 'passes')::bigint), next_slot = (step ->> 'nextSlot')::bigint,
      look_at = (step ->> 'nextSlot')::bigint
    WHERE s.queue = schedule.queue AND s.id = schedule.id;
  END IF;
  RETURN json_build_array('advanced', status, holder, live.id, stopped);
END $$;

-- Argument: { cancelledKeep, steps: [step …] }, in order. Answer: per step ['lost'] or
-- ['advanced', status of the task?, its holder?, the task it met?, what became of that?].
CREATE OR REPLACE FUNCTION advance_v1(asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  answers json[] := '{}';
  step json;
BEGIN
  PERFORM set_config('lock_timeout', '1s', true);
  FOR step IN SELECT json_array_elements(said -> 'steps') LOOP
    answers := answers || advance_one(step, (said ->> 'cancelledKeep')::bigint, now_ms());
  END LOOP;
  RETURN array_to_json(answers)::text;
END $$ SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan;
