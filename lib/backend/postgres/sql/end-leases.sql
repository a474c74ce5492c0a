-- Ends every lease: where a database serves one process at a time, those it finds at its start are of one that is gone. The
-- next claim takes the tasks back, and counts the attempts.
CREATE OR REPLACE FUNCTION end_leases_v1(asked text) RETURNS void LANGUAGE sql AS $$
  UPDATE tasks SET lease_ends_at = 0 WHERE state = 'pending'
$$ SET search_path FROM CURRENT;
