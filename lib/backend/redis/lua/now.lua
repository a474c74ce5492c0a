-- The time of the server that has a queue. It stands alone.
-- KEYS  slots
-- reply seconds, microseconds

return redis.call('TIME')
