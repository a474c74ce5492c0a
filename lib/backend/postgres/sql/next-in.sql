-- Milliseconds until a claim may find something in a queue that gave all it had; none: only a bell can tell. `is_cut`: more has
-- become due than a claim looks at.
-- What is due and was left all the same is in the hands of another transaction, which nobody tells of when it ends: another claim,
-- which has done in a moment, or one of an application, which may stay open for minutes. So it is looked for after as long as it
-- is overdue: very soon at first, then five times a second, which is nothing to the server and little to whoever waits for the task.
CREATE OR REPLACE FUNCTION next_in(asked_queue text, since bigint, is_cut boolean, now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  next_at bigint := first_after(asked_queue, -1, since);
BEGIN
  RETURN CASE
    WHEN next_at > now THEN next_at - now
    WHEN next_at <= now AND is_cut THEN 0
    WHEN next_at <= now THEN least(greatest(now - next_at, 10), 200, first_after(asked_queue, now, now) - now)
  END;
END $$;

-- When the first task becomes due, or the first lease ends, after these moments.
CREATE OR REPLACE FUNCTION first_after(asked_queue text, due_after bigint, lease_after bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN least(
    (SELECT t.due_at FROM tasks t WHERE t.queue = asked_queue AND t.shelf = 'scheduled' AND t.due_at > due_after
      ORDER BY t.due_at, t.arrival LIMIT 1),
    first_lease_end(asked_queue, lease_after)
  );
END $$;
