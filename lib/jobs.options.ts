import type { LogLevel } from '@nestjs/common';
import type { Backend } from './backend/backend.js';
import type { LoggedEvent } from './job/log-settings.js';
import type { ContextOptions } from './observe/context-carrier.js';
import type { Duration } from './task/duration.js';
import type { EnqueueDefaults } from './task/enqueue-options.js';

/** What `JobsModule.forRoot` takes. Everything has a default. */
export interface JobsOptions {
  /**
   * Where tasks live: `'memory:'`, `'redis://…'`, `'rediss://…'`, `'redis+cluster://a:1,b:2'`, `'postgres://…'`,
   * `'pglite:./folder'`, or what `redisBackend`, `postgresBackend` or `memoryBackend` makes.
   * @default 'memory:', with a warning where NODE_ENV is 'production'
   */
  backend?: string | Backend;
  /**
   * What the keys in Redis begin with, and the schema in PostgreSQL.
   * @default 'jobs'
   */
  prefix?: string;
  /**
   * How this process runs tasks; `false`: it only enqueues.
   * @default it runs the queues of the jobs that this application provides
   */
  runner?: false | RunnerOptions;
  /** What holds for every job that does not say otherwise. */
  defaults?: Pick<
    EnqueueDefaults,
    'queue' | 'priority' | 'retries' | 'backoff' | 'jitter' | 'timeout' | 'expires' | 'keep'
  >;
  retention?: RetentionOptions;
  /**
   * The zone of `cron` where none is named with it, such as `'Europe/Berlin'`.
   * @default 'UTC'
   */
  timeZone?: string;
  /**
   * How long after its due time the lock of a unique task ends that has not started; see `unique.ttl`.
   * @default none: it is held until the task starts
   */
  lockTtl?: Duration;
  /**
   * Most bytes of a task's params as JSON text.
   * @default 1048576
   */
  payloadLimit?: number;
  /**
   * How long `enqueue` waits for the store before it rejects.
   * @default '5s'
   */
  enqueueTimeout?: Duration;
  /**
   * Whether the application's global guards, interceptors, pipes and filters apply to jobs.
   * @default false
   */
  globalEnhancers?: boolean;
  /**
   * What tasks carry from their enqueue to their run, as a correlation id or a tenant that the application keeps in an
   * `AsyncLocalStorage`.
   * @default nothing
   */
  context?: ContextOptions;
  /**
   * Whose events `@OnTask` methods and `JobEvents` hear: `'local'`, of this process; `'cluster'`, of all processes on the
   * same store that say so.
   * @default { scope: 'local' }
   */
  events?: { scope?: 'local' | 'cluster' };
  /**
   * `false`: no lines about tasks; else how they are written.
   * @default { level: 'log' }
   */
  log?: false | LogOptions;
}

/** How lines about tasks are written. */
export interface LogOptions {
  /**
   * The least severe level that is written.
   * @default 'log'
   */
  level?: LogLevel;
  /**
   * The level of the line about each thing that can happen to a task; `false`: no such line.
   * @default see the README's table
   */
  levels?: Partial<Record<LoggedEvent, LogLevel | false>>;
  /**
   * Whether a line is an object with fields instead of text: `true` or `'message'`, with the text at `message`; `'msg'`, with
   * the text at `msg`, as pino wants it; `'params'`, text with an object behind it, as Nest 12's `ConsoleLogger` takes it.
   * @default false
   */
  structured?: boolean | 'message' | 'msg' | 'params';
  /**
   * Whether the lines about a start and a failure hold the task's params, but for what the job redacts.
   * @default false
   */
  params?: boolean;
}

export interface RunnerOptions {
  /**
   * The queues to run, each with its own most tasks at once where given.
   * @default the queues of the jobs that this application provides
   */
  queues?: (string | { name: string; concurrency?: number })[];
  /**
   * Most tasks at once in this process; Infinity is allowed.
   * @default 10
   */
  concurrency?: number;
  /**
   * Most tasks taken by one claim.
   * @default the free slots
   */
  batch?: number;
  /**
   * How long a claimed task belongs to this runner without a sign of life; renewed three times as often.
   * @default '20s'
   */
  lease?: Duration;
  /**
   * How often to look without having been told; stores whose bell cannot be lost need no such look.
   * @default '5s'
   */
  pollInterval?: Duration;
  /**
   * How long running tasks may go on at shutdown before they are handed back.
   * @default '30s'
   */
  shutdownTimeout?: Duration;
  /**
   * An event loop that a handler blocks for longer loses its leases; until then, and not beyond a task's `timeout`, another
   * thread renews them, where the backend has one.
   * @default '5m'
   */
  blockedLimit?: Duration;
  /**
   * Whether this runner fires the schedules of its queues.
   * @default true
   */
  schedules?: boolean;
  /**
   * Whether the runner starts with the application; else call `JobRunner.start()`.
   * @default true
   */
  autoStart?: boolean;
}

/** How long finished tasks stay readable; `false` keeps them. */
export interface RetentionOptions {
  /** @default 0: a succeeded task vanishes at once */
  succeeded?: Duration;
  /** @default '1d' */
  dead?: Duration | false;
  /** @default '1d' */
  cancelled?: Duration | false;
}

export const defaultOptions = {
  prefix: 'jobs',
  timeZone: 'UTC',
  payloadLimit: 1_048_576,
  enqueueTimeout: '5s',
  globalEnhancers: false,
  events: { scope: 'local' },
  log: { level: 'log' },
  retention: { succeeded: 0, dead: '1d', cancelled: '1d' },
  runner: {
    concurrency: 10,
    lease: '20s',
    pollInterval: '5s',
    shutdownTimeout: '30s',
    blockedLimit: '5m',
    schedules: true,
    autoStart: true,
  },
} satisfies JobsOptions;
