-- The tables of a schema. Times are milliseconds since 1970 by the database's clock.

CREATE SEQUENCE arrivals;
CREATE SEQUENCE epochs;
CREATE SEQUENCE parkings;
CREATE SEQUENCE versions;

CREATE TABLE queues (
  queue text COLLATE "C" PRIMARY KEY,
  -- The largest number: until resumed.
  paused_until bigint NOT NULL DEFAULT 0,
  -- Whether it has ever held a task or a schedule.
  is_known boolean NOT NULL DEFAULT true
);

CREATE TABLE tasks (
  queue text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  priority integer NOT NULL,
  due_at bigint NOT NULL,
  arrival bigint NOT NULL DEFAULT nextval('arrivals'),
  enqueued_at bigint NOT NULL,
  -- Of the latest claim, also after it was settled; 0 before the first, and after its lease was lost.
  epoch bigint NOT NULL DEFAULT 0,
  -- Of a claim whose lease ended, until the next one: its success still counts.
  lost_epoch bigint NOT NULL DEFAULT 0,
  -- Whether the latest claim met a lock, so that its run did not begin, and whether each has.
  in_conflict boolean NOT NULL DEFAULT false,
  only_conflicts boolean NOT NULL DEFAULT false,
  lease_ends_at bigint,
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  retries integer NOT NULL,
  cancel_requested boolean NOT NULL DEFAULT false,
  expires_at bigint,
  keep_ms bigint,
  finished_at bigint,
  -- When a finished task vanishes; the largest number: never.
  remove_at bigint,
  slot bigint,
  parking bigint,
  lock_ttl_ms bigint,
  lock_retry_after_ms bigint,
  -- Drawn at each enqueue; none where it is the id.
  token text COLLATE "C",
  runner text,
  lock_key text COLLATE "C",
  lock_phase text COLLATE "C",
  lock_conflict text COLLATE "C",
  -- The key of its lock while it holds it: a lock is part of its holder's row, so none outlives its task.
  held_key text COLLATE "C",
  schedule_id text COLLATE "C",
  reason text,
  fingerprint text COLLATE "C",
  job text COLLATE "C" NOT NULL,
  extra text,
  params text NOT NULL,
  result text,
  errors jsonb,
  -- What its runs have said. In no index, so that writing them down touches none.
  progress jsonb,
  lines jsonb,
  -- Whether it keeps its place among those that wait while it runs.
  stays boolean NOT NULL DEFAULT false,
  -- Its state as the indexes know it. A claim that changes nothing in them is a third cheaper: the row gets another version in its
  -- page, and that is all. So a task of a short run stays where it waits; claims pass over it until it is gone.
  shelf text COLLATE "C" GENERATED ALWAYS AS (CASE WHEN state = 'pending' AND stays THEN 'waiting' ELSE state END) STORED,
  -- The id first: it alone nearly always tells two rows apart.
  PRIMARY KEY (id, queue)
) WITH (
  -- Room for a second version of every row: without it a claim would have to go to another page, and through all indexes.
  fillfactor = 50,
  -- Most rows live for moments: what they leave is to be cleared away long before a fifth of the table is dead.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0.1,
  autovacuum_vacuum_cost_delay = 0,
  -- Of a row over about 2 kB what is long lies apart, until 512 bytes are left, so that a change of the row does not copy it. A
  -- shorter row stays whole: this is no threshold.
  toast_tuple_target = 512
);
ALTER TABLE tasks ALTER COLUMN params SET STORAGE EXTENDED;

CREATE INDEX tasks_waiting ON tasks (queue, priority, due_at, arrival) WHERE shelf = 'waiting';
CREATE INDEX tasks_scheduled ON tasks (queue, due_at, arrival) WHERE shelf = 'scheduled';
CREATE INDEX tasks_finished ON tasks (queue, shelf, remove_at, arrival) WHERE remove_at IS NOT NULL;
CREATE INDEX tasks_parked ON tasks (queue, due_at, arrival) WHERE shelf = 'parked';
CREATE INDEX tasks_parkings ON tasks (queue, job, parking) WHERE shelf = 'parked';
CREATE UNIQUE INDEX tasks_locks ON tasks (queue, held_key) WHERE held_key IS NOT NULL;

-- Which tasks a claim has taken: the way to those that run, for which `tasks` has no index. A row stands for all that one claim took
-- from a queue, and is no more than a note of where to look, and when: whether a task still runs, and until when its lease lasts,
-- is said by the task. So neither a renewal nor an outcome need touch it; what is left of it is cleared away when its time comes.
CREATE TABLE leases (
  queue text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  -- No lease of these tasks ends before, unless the clock was set back.
  ends_at bigint NOT NULL,
  -- None where two claims drew the same number.
  runner text,
  -- Their ids; tasks that are done may be among them.
  tasks text[] COLLATE "C" NOT NULL,
  -- Not the queue first: what is looked for by its end must never be looked for by this. Nor the other way round, so whoever looks
  -- for an epoch says `(queue = …) IS TRUE`, for which no index is used: a plan that is made while there are few notes stays.
  PRIMARY KEY (epoch, queue)
) WITH (
  -- They come and go as claims do.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0,
  -- A hundred ids are no reason for a second table.
  toast_tuple_target = 8160
);
CREATE INDEX leases_by_end ON leases (queue, ends_at);

-- How many tasks are in each state: what `moves` has gathered until it was last added to this.
CREATE TABLE counters (
  queue text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  tasks bigint NOT NULL,
  PRIMARY KEY (queue, state)
) WITH (fillfactor = 70);

-- Changes of state, appended by whoever makes them and in the same transaction: nobody waits for a counter that others change,
-- too. Nothing stands for tasks that came, or are gone. No index: it is short, and read as a whole.
CREATE TABLE moves (
  tasks integer NOT NULL,
  queue text COLLATE "C" NOT NULL,
  came_from text COLLATE "C",
  went_to text COLLATE "C"
) WITH (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0,
  -- What is cleared away is filled again at once: making the table shorter would only keep others from it.
  vacuum_truncate = false
);

CREATE TABLE schedules (
  queue text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  rule text COLLATE "C" NOT NULL,
  template text COLLATE "C" NOT NULL,
  first_slot bigint NOT NULL,
  next_slot bigint NOT NULL,
  -- When it is looked at next: at its slot, later where it was deferred; the largest number while it is paused.
  look_at bigint NOT NULL,
  last_slot bigint,
  last_task text COLLATE "C",
  fired bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0,
  is_paused boolean NOT NULL DEFAULT false,
  version bigint NOT NULL,
  declared_at bigint,
  PRIMARY KEY (queue, id)
);
CREATE INDEX schedules_by_look ON schedules (queue, look_at, id);

-- What an add answered, for as long as it may be repeated because its answer was lost.
CREATE TABLE calls (
  call text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  answer text NOT NULL
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX calls_by_age ON calls (at);

-- What runners have seen, and which are alive: told by them from time to time, apart from the way of tasks.
CREATE TABLE runners (
  name text COLLATE "C" PRIMARY KEY,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  -- Without another report it is taken for dead then.
  alive_until bigint NOT NULL,
  info text NOT NULL
);

CREATE TABLE job_figures (
  queue text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  succeeded bigint NOT NULL,
  failed bigint NOT NULL,
  dead bigint NOT NULL,
  cancelled bigint NOT NULL,
  lost bigint NOT NULL,
  run_ms bigint NOT NULL,
  wait_ms bigint NOT NULL,
  last_run_at bigint,
  last_failure_at bigint,
  last_error text,
  PRIMARY KEY (queue, job)
) WITH (fillfactor = 70);

-- The last hour by minutes and the last week by hours.
CREATE TABLE throughput (
  queue text COLLATE "C" NOT NULL,
  span_ms integer NOT NULL,
  at bigint NOT NULL,
  succeeded bigint NOT NULL,
  failed bigint NOT NULL,
  dead bigint NOT NULL,
  cancelled bigint NOT NULL,
  lost bigint NOT NULL,
  run_ms bigint NOT NULL,
  wait_ms bigint NOT NULL,
  PRIMARY KEY (queue, span_ms, at)
) WITH (fillfactor = 70);

-- How the latest slots of schedules ended.
CREATE TABLE slot_outcomes (
  queue text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  task text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (queue, schedule_id, slot),
  FOREIGN KEY (queue, schedule_id) REFERENCES schedules (queue, id) ON DELETE CASCADE
);

-- Runs whose leases ended, as claims find them, until a report adds them to the figures: a claim waits for no row of those.
CREATE TABLE lost_runs (
  queue text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  -- What became of the task: lost (it runs again), dead or cancelled.
  outcome text COLLATE "C" NOT NULL,
  error text,
  task text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C",
  slot bigint
);
CREATE INDEX lost_runs_by_queue ON lost_runs (queue, job);

-- A task as it is handed to the store.
CREATE TYPE new_task AS (
  queue text, id text, token text, job text, params text, extra text,
  priority integer, in_ms bigint, at_ms bigint, retries integer,
  expires_in bigint, expires_at bigint, keep bigint, "replace" boolean,
  key text, phase text, conflict text, ttl bigint, retry_after bigint,
  schedule text, slot bigint
);

-- How runs of a job in a queue ended, since the last report.
CREATE TYPE told_runs AS (
  queue text, job text, succeeded bigint, failed bigint, dead bigint, cancelled bigint, lost bigint, run_ms bigint, wait_ms bigint,
  last_error text, at bigint
);

-- An outcome on its way to the store; `ms` is how long the record stays, or the delay.
CREATE TYPE settlement AS (
  queue text, id text, epoch bigint, type text, ms bigint,
  result text, error jsonb, reason text, fingerprint text, is_repeat boolean,
  progress jsonb, lines jsonb
);
