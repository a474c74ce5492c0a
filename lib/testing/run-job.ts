import type { ClaimedTask } from '../backend/backend.js';
import type { Carrying } from '../job/carrying.js';
import { JobNotProvidedError } from '../job/errors.js';
import type { EnqueueArguments, JobClass } from '../job/job-handler.js';
import type { JobRegistry } from '../job/job-registry.js';
import { buildTask } from '../task/build-task.js';
import { checkKeys } from '../task/check-keys.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import { extraWith } from '../task/enqueue-plan.js';
import { InvalidOptionError } from '../task/errors.js';
import { TaskIds } from '../task/task-id.js';

type CallOptions = Pick<
  EnqueueOptions,
  'id' | 'queue' | 'priority' | 'retries' | 'backoff' | 'jitter' | 'timeout'
>;

/** What `runJob` pretends: some of what `enqueue` takes, and where the task is on its way. */
export interface RunJobOptions extends CallOptions {
  /**
   * Which attempt it is, counted from 1.
   * @default 1
   */
  attempt?: number;
  /**
   * How many attempts have failed.
   * @default all those before this one
   */
  failures?: number;
  /** The schedule that made the task, and the slot for which it did. */
  scheduleId?: string;
  slot?: Date;
  /** Cancels the task when it aborts. */
  signal?: AbortSignal;
}

export type RunJobArguments<J extends JobClass> = EnqueueArguments<J, RunJobOptions>;

/** What `run` returns. */
export type ReturnedBy<J extends JobClass> = Awaited<ReturnType<InstanceType<J>['run']>>;

const ownKeys = ['attempt', 'failures', 'scheduleId', 'slot', 'signal'];
const callKeys = ['id', 'queue', 'priority', 'retries', 'backoff', 'jitter', 'timeout'];

/** The task as a runner would have claimed it, had it been enqueued. */
export async function claimedAs(
  registry: JobRegistry,
  job: JobClass,
  params: unknown,
  options: RunJobOptions,
  now: number,
  carrying: Pick<Carrying, 'capture'>,
): Promise<ClaimedTask> {
  const { definition, handler } = registry.enqueuable(job);
  if (!handler) throw new JobNotProvidedError(definition.name, 'there is no instance that could run');
  checkKeys(options, [...callKeys, ...ownKeys], definition.where);
  const { attempt = 1, failures = attempt - 1, scheduleId, slot } = options;
  for (const [option, value, least] of [
    ['attempt', attempt, 1],
    ['failures', failures, 0],
  ] as const)
    if (!Number.isInteger(value) || value < least)
      throw new InvalidOptionError(definition.where, option, value, `an integer from ${least}`);
  const call = Object.fromEntries(Object.entries(options).filter(([key]) => callKeys.includes(key)));
  const plan = definition.planFor(call);
  const { text } = await definition.codec.encode(params);
  const { queue, id, extra, priority, retries, keepMs } = buildTask(
    definition.name,
    text,
    plan,
    new TaskIds().next(now),
    now,
    extraWith(plan.extra, 'context', carrying.capture(definition.name)),
  );
  return {
    queue,
    id,
    // As a store draws it, from its time in microseconds.
    epoch: now * 1_000,
    job: definition.name,
    params: text,
    extra,
    priority,
    enqueuedAt: now,
    dueAt: now,
    attempt,
    failures,
    retries,
    keepMs,
    scheduleId,
    slot: slot?.getTime(),
  };
}
