-- The database's time, which decides leases, delays and slots; never that of a transaction's beginning.
CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- For good, where a moment is asked for.
CREATE OR REPLACE FUNCTION never() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT 9223372036854775807
$$;

-- When a record that stays for `keep` vanishes; none: it stays for good.
CREATE OR REPLACE FUNCTION end_of(now bigint, keep bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(now + keep, never())
$$;

-- Fences a claim: never below the time in microseconds, and never one that was drawn before, though the clock be set back. Two
-- claims at the very same time may draw the same, but never for the same task.
CREATE OR REPLACE FUNCTION draw_epoch() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  micros bigint := floor(extract(epoch FROM clock_timestamp()) * 1000000);
  drawn bigint := nextval('epochs');
BEGIN
  IF drawn >= micros THEN RETURN drawn; END IF;
  PERFORM setval('epochs', micros);
  RETURN micros;
END $$;

-- Whether no run has begun yet, not even one that was given back: it was never claimed, or never without meeting a lock.
CREATE OR REPLACE FUNCTION is_fresh(task tasks) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT task.attempt = 0 AND (task.epoch = 0 OR task.only_conflicts)
$$;

-- Whether the time to live of a lock has passed: it counts only before the first run.
CREATE OR REPLACE FUNCTION lock_is_over(holder tasks, now bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(holder.epoch = 0 AND holder.attempt = 0 AND holder.due_at + holder.lock_ttl_ms <= now, false)
$$;

-- Adds a failure to those on record, of which the latest hundred are kept.
CREATE OR REPLACE FUNCTION with_error(task tasks, error jsonb, now bigint) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  kept jsonb := coalesce(task.errors, '[]');
BEGIN
  WHILE jsonb_array_length(kept) >= 100 LOOP kept := kept - 0; END LOOP;
  RETURN kept || jsonb_build_array(error || jsonb_build_object(
    'attempt', task.attempt, 'at', now, 'runner', task.runner, 'startedAt', greatest(task.epoch, task.lost_epoch) / 1000
  ));
END $$;

-- Adds lines to those on record, of which the latest hundred are kept.
CREATE OR REPLACE FUNCTION with_lines(lines jsonb, more jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  kept jsonb := coalesce(lines || more, lines, nullif(more, '[]'));
BEGIN
  IF jsonb_array_length(kept) > 100 THEN kept := jsonb_path_query_array(kept, '$[last - 99 to last]'); END IF;
  RETURN kept;
END $$;

-- Tells the runners or the schedulers of all processes, when this transaction commits; `kind` is t for tasks, s for schedules.
CREATE OR REPLACE FUNCTION ring(kind text, queue text, sender text, cancelled text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(current_schema() || ':bell', json_build_array(kind, queue, sender, cancelled)::text);
END $$;

-- Carries texts to all processes that listen. Argument: [payload …].
CREATE OR REPLACE FUNCTION tell_v1(asked text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_notify(current_schema() || ':told', p) FROM json_array_elements_text(asked::json) p;
END $$ SET search_path FROM CURRENT;
