-- A run whose lease ended without an outcome, for the figures.
CREATE OR REPLACE FUNCTION note_lost(task tasks, became text, error text, now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lost_runs (queue, job, at, outcome, error, task, schedule_id, slot)
    VALUES (task.queue, task.job, now, became, error, task.id, task.schedule_id, task.slot);
END $$;

-- A lost run as a report tells of runs.
CREATE OR REPLACE FUNCTION told_by(l lost_runs) RETURNS told_runs LANGUAGE sql IMMUTABLE AS $$
  SELECT (l.queue, l.job, 0, 0, (l.outcome = 'dead')::integer, (l.outcome = 'cancelled')::integer, 1, 0, 0, l.error, l.at)::told_runs
$$;

-- Adds runs to the figures. In one order, so that no two reports wait for each other.
CREATE OR REPLACE FUNCTION count_runs(told told_runs[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job_figures AS f
    SELECT t.queue, t.job, sum(t.succeeded), sum(t.failed), sum(t.dead), sum(t.cancelled), sum(t.lost), sum(t.run_ms), sum(t.wait_ms),
      max(t.at), max(t.at) FILTER (WHERE t.failed > 0 OR t.last_error IS NOT NULL),
      (array_agg(t.last_error ORDER BY t.at DESC) FILTER (WHERE t.last_error IS NOT NULL))[1]
    FROM unnest(told) t GROUP BY t.queue, t.job ORDER BY t.queue, t.job
  ON CONFLICT (queue, job) DO UPDATE SET
    succeeded = f.succeeded + excluded.succeeded, failed = f.failed + excluded.failed, dead = f.dead + excluded.dead,
    cancelled = f.cancelled + excluded.cancelled, lost = f.lost + excluded.lost, run_ms = f.run_ms + excluded.run_ms,
    wait_ms = f.wait_ms + excluded.wait_ms, last_run_at = greatest(f.last_run_at, excluded.last_run_at),
    last_failure_at = greatest(f.last_failure_at, excluded.last_failure_at),
    last_error = coalesce(excluded.last_error, f.last_error);
  INSERT INTO throughput AS p
    SELECT t.queue, s.ms, t.at - t.at % s.ms, sum(t.succeeded), sum(t.failed), sum(t.dead), sum(t.cancelled), sum(t.lost),
      sum(t.run_ms), sum(t.wait_ms)
    FROM unnest(told) t, (VALUES (60000), (3600000)) s (ms) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (queue, span_ms, at) DO UPDATE SET
    succeeded = p.succeeded + excluded.succeeded, failed = p.failed + excluded.failed, dead = p.dead + excluded.dead,
    cancelled = p.cancelled + excluded.cancelled, lost = p.lost + excluded.lost, run_ms = p.run_ms + excluded.run_ms,
    wait_ms = p.wait_ms + excluded.wait_ms;
END $$;

-- Where the hour or the week that is looked back on begins.
CREATE OR REPLACE FUNCTION looked_back(span integer, now bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT now - now % span - span * CASE span WHEN 60000 THEN 59 ELSE 167 END::bigint
$$;

-- Writes down how slots ended, each as it was told last, and forgets all but the latest twenty of each schedule that is there.
CREATE OR REPLACE FUNCTION count_slots(told slot_outcomes[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- None of them is removed before the end of this.
  PERFORM FROM schedules s WHERE (s.queue, s.id) IN (SELECT t.queue, t.schedule_id FROM unnest(told) t)
    ORDER BY s.queue, s.id FOR KEY SHARE;
  INSERT INTO slot_outcomes
    SELECT DISTINCT ON (t.queue, t.schedule_id, t.slot) t.queue, t.schedule_id, t.slot, t.task, t.outcome, t.at
    FROM unnest(told) WITH ORDINALITY AS t (queue, schedule_id, slot, task, outcome, at, n)
    WHERE EXISTS (SELECT FROM schedules s WHERE s.queue = t.queue AND s.id = t.schedule_id)
    ORDER BY t.queue, t.schedule_id, t.slot, t.n DESC
  ON CONFLICT (queue, schedule_id, slot) DO UPDATE SET task = excluded.task, outcome = excluded.outcome, at = excluded.at;
  DELETE FROM slot_outcomes o USING (
    SELECT t.queue, t.schedule_id, (
      SELECT l.slot FROM slot_outcomes l WHERE l.queue = t.queue AND l.schedule_id = t.schedule_id
      ORDER BY l.slot DESC OFFSET 19 LIMIT 1
    ) AS first_kept FROM (SELECT DISTINCT u.queue, u.schedule_id FROM unnest(told) u) t
  ) k WHERE o.queue = k.queue AND o.schedule_id = k.schedule_id AND o.slot < k.first_kept;
END $$;

-- Adds what a runner has seen, and what claims have found of lost runs, to the figures, and says that it lives. Argument:
-- { name, info, aliveMs?, runs: [told_runs …], slots: [[queue, schedule, slot, task, outcome] …] }.
CREATE OR REPLACE FUNCTION report_v1(asked text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  said json := asked::json;
  now bigint := now_ms();
  found lost_runs[];
  told told_runs[];
  slots slot_outcomes[];
BEGIN
  -- What a crash of the server forgets of it is no more than what dies with a runner.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO runners AS r (name, started_at, seen_at, alive_until, info)
    VALUES (said ->> 'name', now, now, end_of(now, (said ->> 'aliveMs')::bigint), said ->> 'info')
  ON CONFLICT (name) DO UPDATE SET
    started_at = CASE WHEN r.alive_until > now THEN r.started_at ELSE now END,
    seen_at = now, alive_until = excluded.alive_until, info = excluded.info;
  WITH taken AS (
    DELETE FROM lost_runs WHERE ctid = ANY (ARRAY(
      SELECT l.ctid FROM lost_runs l ORDER BY l.queue, l.job LIMIT 1000 FOR UPDATE SKIP LOCKED
    )) RETURNING lost_runs AS one
  )
  SELECT array_agg(one) INTO found FROM taken;
  told := ARRAY(
    SELECT (r.queue, r.job, r.succeeded, r.failed, r.dead, r.cancelled, r.lost, r.run_ms, r.wait_ms, r.last_error, now)::told_runs
      FROM json_populate_recordset(NULL::told_runs, said -> 'runs') r
    UNION ALL SELECT told_by(l) FROM unnest(found) l
  );
  IF cardinality(told) > 0 THEN PERFORM count_runs(told); END IF;
  slots := ARRAY(
    SELECT (l.queue, l.schedule_id, l.slot, l.task, l.outcome, l.at)::slot_outcomes
      FROM unnest(found) l WHERE l.schedule_id IS NOT NULL AND l.slot IS NOT NULL
    UNION ALL SELECT (s ->> 0, s ->> 1, (s ->> 2)::bigint, s ->> 3, s ->> 4, now)::slot_outcomes
      FROM json_array_elements(said -> 'slots') s
  );
  IF cardinality(slots) > 0 THEN PERFORM count_slots(slots); END IF;
  PERFORM forget_stats(ARRAY(SELECT DISTINCT t.queue FROM unnest(told) t), now);
END $$ SET search_path FROM CURRENT SET jit = off;

-- Forgets what is no longer looked back on of some queues, and runners that are gone, some hundreds at most.
CREATE OR REPLACE FUNCTION forget_stats(queues text[], now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM throughput WHERE ctid = ANY (ARRAY(
    SELECT p.ctid FROM unnest(queues) q, (VALUES (60000), (3600000)) s (ms), throughput p
    WHERE p.queue = q AND p.span_ms = s.ms AND p.at < looked_back(s.ms, now) LIMIT 500 FOR UPDATE OF p SKIP LOCKED
  ));
  DELETE FROM runners WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM runners r WHERE r.alive_until < now - 60000 LIMIT 100 FOR UPDATE SKIP LOCKED
  ));
END $$;

-- Argument: the name of a runner that has ended.
CREATE OR REPLACE FUNCTION leave_v1(asked text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM runners r WHERE r.name = asked::json ->> 'name'
$$ SET search_path FROM CURRENT;

-- Answer: [[info, started at, seen at] …] of those that live.
CREATE OR REPLACE FUNCTION runners_v1(asked text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(json_agg(json_build_array(r.info, r.started_at, r.seen_at) ORDER BY r.name), '[]')::text
  FROM runners r WHERE r.alive_until > now_ms()
$$ SET search_path FROM CURRENT;

-- Argument: [queue …]. Answer: [[queue, job, counts …, last run at?, last failure at?, last error?] …].
CREATE OR REPLACE FUNCTION jobs_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  queues text[] := ARRAY(SELECT json_array_elements_text(asked::json));
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_array(
      f.queue, f.job, f.succeeded, f.failed, f.dead, f.cancelled, f.lost, f.run_ms, f.wait_ms,
      f.last_run_at, f.last_failure_at, f.last_error
    ) ORDER BY f.queue, f.job), '[]')::text FROM (
      SELECT g.queue, g.job, sum(g.succeeded) AS succeeded, sum(g.failed) AS failed, sum(g.dead) AS dead,
        sum(g.cancelled) AS cancelled, sum(g.lost) AS lost, sum(g.run_ms) AS run_ms, sum(g.wait_ms) AS wait_ms,
        max(g.last_run_at) AS last_run_at, max(g.last_failure_at) AS last_failure_at,
        (array_agg(g.last_error ORDER BY g.last_failure_at DESC NULLS LAST) FILTER (WHERE g.last_error IS NOT NULL))[1] AS last_error
      FROM (
        SELECT * FROM job_figures j WHERE j.queue = ANY (queues)
        UNION ALL
        -- Those that no report has taken along yet.
        SELECT (t).queue, (t).job, (t).succeeded, (t).failed, (t).dead, (t).cancelled, (t).lost, (t).run_ms, (t).wait_ms, (t).at,
          CASE WHEN (t).last_error IS NOT NULL THEN (t).at END, (t).last_error
        FROM (SELECT told_by(l) AS t FROM lost_runs l WHERE l.queue = ANY (queues)) u
      ) g GROUP BY g.queue, g.job
    ) f
  );
END $$ SET search_path FROM CURRENT;

-- Argument: { queue }. Answer: [[milliseconds of the span, its beginning, counts …] …], oldest first.
CREATE OR REPLACE FUNCTION throughput_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  asked_queue text := asked::json ->> 'queue';
  now bigint := now_ms();
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_array(
      f.ms, f.at, f.succeeded, f.failed, f.dead, f.cancelled, f.lost, f.run_ms, f.wait_ms
    ) ORDER BY f.at), '[]')::text FROM (
      SELECT s.ms, g.at, sum(g.succeeded) AS succeeded, sum(g.failed) AS failed, sum(g.dead) AS dead, sum(g.cancelled) AS cancelled,
        sum(g.lost) AS lost, sum(g.run_ms) AS run_ms, sum(g.wait_ms) AS wait_ms
      FROM (VALUES (60000), (3600000)) s (ms) CROSS JOIN LATERAL (
        SELECT p.at, p.succeeded, p.failed, p.dead, p.cancelled, p.lost, p.run_ms, p.wait_ms
          FROM throughput p WHERE p.queue = asked_queue AND p.span_ms = s.ms AND p.at >= looked_back(s.ms, now)
        UNION ALL
        SELECT (t).at - (t).at % s.ms, (t).succeeded, (t).failed, (t).dead, (t).cancelled, (t).lost, (t).run_ms, (t).wait_ms
          FROM (SELECT told_by(l) AS t FROM lost_runs l WHERE l.queue = asked_queue AND l.at >= looked_back(s.ms, now)) u
      ) g GROUP BY s.ms, g.at
    ) f
  );
END $$ SET search_path FROM CURRENT;

-- Argument: { queue, id } of a schedule. Answer: [[slot, task, outcome, at] …], the latest first.
CREATE OR REPLACE FUNCTION slots_v1(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  said json := asked::json;
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_array(o.slot, o.task, o.outcome, o.at) ORDER BY o.slot DESC), '[]')::text FROM (
      SELECT DISTINCT ON (u.slot) u.slot, u.task, u.outcome, u.at FROM (
        SELECT s.slot, s.task, s.outcome, s.at FROM slot_outcomes s WHERE s.queue = said ->> 'queue' AND s.schedule_id = said ->> 'id'
        UNION ALL
        SELECT l.slot, l.task, l.outcome, l.at FROM lost_runs l
        WHERE l.queue = said ->> 'queue' AND l.schedule_id = said ->> 'id' AND l.slot IS NOT NULL
          AND EXISTS (SELECT FROM schedules s WHERE s.queue = l.queue AND s.id = l.schedule_id)
      ) u ORDER BY u.slot DESC, u.at DESC LIMIT 20
    ) o
  );
END $$ SET search_path FROM CURRENT;
