import type { Backend } from './backend/backend.js';
import {
  defaultOptions,
  type JobsOptions,
  type RetentionOptions,
  type RunnerOptions,
} from './jobs.options.js';
import type { LogSettings } from './job/log-settings.js';
import { resolveLog } from './resolve-log.js';
import type { ContextOptions } from './observe/context-carrier.js';
import type { RunnerSettings } from './runner/runner-settings.js';
import { checkKeys } from './task/check-keys.js';
import { toMs, toSpan, type Duration, type Span } from './task/duration.js';
import { checkEnqueueDefaults, checkQueueName } from './task/enqueue-options.js';
import type { JobDefaults } from './task/enqueue-plan.js';
import { InvalidOptionError } from './task/errors.js';
import { checkTimeZone } from './task/time-zone.js';

const where = 'JobsModule.forRoot';

/** Options as the parts use them: checked, complete, in milliseconds, frozen. */
export interface ResolvedOptions {
  readonly backend: string | Backend | undefined;
  readonly prefix: string;
  readonly runner: false | RunnerSettings;
  readonly defaults: JobDefaults;
  readonly retention: ResolvedRetention;
  readonly payloadLimit: number;
  readonly enqueueTimeoutMs: number;
  readonly globalEnhancers: boolean;
  readonly context: ContextOptions | undefined;
  readonly events: { readonly scope: 'local' | 'cluster' };
  readonly log: false | LogSettings;
}

export interface ResolvedRetention {
  readonly succeeded: Span;
  readonly dead: Span;
  readonly cancelled: Span;
}

export function resolveOptions(options: JobsOptions = {}): ResolvedOptions {
  checkKeys(options, knownKeys, where);
  const {
    prefix = defaultOptions.prefix,
    payloadLimit = defaultOptions.payloadLimit,
    timeZone = defaultOptions.timeZone,
    log = defaultOptions.log,
  } = options;
  if (typeof prefix !== 'string' || !/^[\w-]{1,40}$/.test(prefix))
    refuse('prefix', prefix, '1 to 40 letters, digits, _ or -');
  checkTimeZone(timeZone, where);
  if (!isCount(payloadLimit)) refuse('payloadLimit', payloadLimit, 'a number of bytes above 0');
  return Object.freeze({
    backend: options.backend,
    prefix,
    runner: options.runner === false ? false : resolveRunner(options.runner ?? {}),
    defaults: resolveDefaults(options.defaults ?? {}, timeZone, options.lockTtl),
    retention: resolveRetention(options.retention ?? {}),
    payloadLimit,
    enqueueTimeoutMs: positiveMs('enqueueTimeout', options.enqueueTimeout ?? defaultOptions.enqueueTimeout),
    globalEnhancers: bool('globalEnhancers', options.globalEnhancers ?? defaultOptions.globalEnhancers),
    context: options.context && resolveContext(options.context),
    events: Object.freeze({ scope: resolveScope(options.events ?? {}) }),
    log: resolveLog(log),
  });
}

const knownKeys = [
  'backend',
  'prefix',
  'runner',
  'defaults',
  'retention',
  'timeZone',
  'lockTtl',
  'payloadLimit',
  'enqueueTimeout',
  'globalEnhancers',
  'context',
  'events',
  'log',
] as const satisfies readonly (keyof JobsOptions)[];

const knownRunnerKeys = [
  'queues',
  'concurrency',
  'batch',
  'lease',
  'pollInterval',
  'shutdownTimeout',
  'blockedLimit',
  'schedules',
  'autoStart',
] as const satisfies readonly (keyof RunnerOptions)[];

function resolveRunner(options: RunnerOptions): RunnerSettings {
  checkKeys(options, knownRunnerKeys, where, 'runner');
  const chosen = { ...defaultOptions.runner, ...withoutUndefined(options) };
  if (!isCapacity(chosen.concurrency))
    refuse('runner.concurrency', chosen.concurrency, 'an integer from 1, or Infinity');
  if (chosen.batch !== undefined && !isCapacity(chosen.batch))
    refuse('runner.batch', chosen.batch, 'an integer from 1');
  const leaseMs = positiveMs('runner.lease', chosen.lease);
  if (leaseMs < 1_000) refuse('runner.lease', chosen.lease, 'at least 1s');
  return Object.freeze({
    queues: chosen.queues && resolveQueues(chosen.queues),
    concurrency: chosen.concurrency,
    batch: chosen.batch ?? Infinity,
    leaseMs,
    pollIntervalMs: positiveMs('runner.pollInterval', chosen.pollInterval),
    shutdownTimeoutMs: toMs(chosen.shutdownTimeout, { where, option: 'runner.shutdownTimeout' }),
    blockedLimitMs: positiveMs('runner.blockedLimit', chosen.blockedLimit),
    schedules: bool('runner.schedules', chosen.schedules),
    autoStart: bool('runner.autoStart', chosen.autoStart),
  });
}

function resolveQueues(queues: NonNullable<RunnerOptions['queues']>): RunnerSettings['queues'] {
  if (!Array.isArray(queues)) refuse('runner.queues', queues, 'a list of queue names');
  for (const queue of queues)
    if (typeof queue !== 'string') checkKeys(queue, ['name', 'concurrency'], where, 'runner.queues');
  const seen = new Set<string>();
  const resolved = queues.map((queue) => {
    const { name, concurrency = Infinity } = typeof queue === 'string' ? { name: queue } : queue;
    checkQueueName(name, where, 'runner.queues');
    if (seen.has(name)) refuse('runner.queues', name, 'named once');
    seen.add(name);
    if (!isCapacity(concurrency))
      refuse(`runner.queues ${name} concurrency`, concurrency, 'an integer from 1');
    return Object.freeze({ name, concurrency });
  });
  return Object.freeze(resolved);
}

/** The zone and the ttl of the module are two more things that hold where a job does not say otherwise. */
function resolveDefaults(
  options: NonNullable<JobsOptions['defaults']>,
  timeZone: string,
  lockTtl?: Duration,
): JobDefaults {
  const known = ['queue', 'priority', 'retries', 'backoff', 'jitter', 'timeout', 'expires', 'keep'];
  checkKeys(options, known, where, 'defaults');
  checkEnqueueDefaults(options, `${where} defaults`);
  if (lockTtl !== undefined) positiveMs('lockTtl', lockTtl);
  return Object.freeze(withoutUndefined({ ...options, timeZone, lockTtl }));
}

function resolveRetention(options: RetentionOptions): ResolvedRetention {
  checkKeys(options, ['succeeded', 'dead', 'cancelled'], where, 'retention');
  const chosen = { ...defaultOptions.retention, ...withoutUndefined(options) };
  const endless = (option: string, value: Duration | false): Span =>
    value === false
      ? { ms: Infinity }
      : toSpan(value, { where, option: `retention.${option}`, calendar: true });
  return Object.freeze({
    succeeded: toSpan(chosen.succeeded, { where, option: 'retention.succeeded', calendar: true }),
    dead: endless('dead', chosen.dead),
    cancelled: endless('cancelled', chosen.cancelled),
  });
}

function resolveContext(context: ContextOptions): ContextOptions {
  checkKeys(context, ['capture', 'restore'], where, 'context');
  for (const name of ['capture', 'restore'] as const)
    if (typeof context[name] !== 'function') refuse(`context.${name}`, context[name], 'a function');
  return context;
}

function resolveScope(events: NonNullable<JobsOptions['events']>): 'local' | 'cluster' {
  checkKeys(events, ['scope'], where, 'events');
  const { scope = defaultOptions.events.scope } = events;
  if (scope !== 'local' && scope !== 'cluster') refuse('events.scope', scope, "'local' or 'cluster'");
  return scope;
}

function positiveMs(option: string, value: Duration): number {
  const ms = toMs(value, { where, option });
  if (ms === 0) refuse(option, value, 'more than 0');
  return ms;
}

function bool(option: string, value: unknown): boolean {
  if (typeof value !== 'boolean') refuse(option, value, 'true or false');
  return value;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

function isCapacity(value: unknown): value is number {
  return value === Infinity || isCount(value);
}

function refuse(option: string, value: unknown, expected: string): never {
  throw new InvalidOptionError(where, option, value, expected);
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
