import { Injectable } from '@nestjs/common';
import type { JobClass } from '../job/job-handler.js';
import { spanMs, toSpan, type Duration } from '../task/duration.js';
import type { Bench } from './bench.js';
import { TestJobsError } from './errors.js';
import type { EnqueuedTask } from './ledger.js';
import { drainInRealTime } from './real-drain.js';
import { claimedAs, type ReturnedBy, type RunJobArguments, type RunJobOptions } from './run-job.js';
import type { RunOutcome } from './run-outcome.js';

/** What `run` gets. */
export type HandledParams<J extends JobClass> =
  Parameters<InstanceType<J>['run']> extends [infer P, ...unknown[]] ? P : undefined;

/** How many runs of a `drain` ended in what. */
export interface Drained {
  readonly succeeded: number;
  /** Failed and tried again. */
  readonly failed: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly snoozed: number;
}

/** What a test does with the jobs of its application: inject it, or `app.get(TestJobs)`. */
@Injectable()
export class TestJobs {
  /** @internal */
  constructor(private readonly bench: Bench) {}

  /** The time of the application's `Clock`. */
  get now(): Date {
    return new Date(this.bench.clock.now());
  }

  /**
   * All that was enqueued since the start, or since `clear`, in order, whether it has run or not: tasks, delayed ones, those
   * that a schedule has made, and schedules put by `every` or `cron`.
   */
  enqueued(): EnqueuedTask[];
  enqueued<J extends JobClass>(job: J): EnqueuedTask<HandledParams<J>>[];
  enqueued(job?: JobClass): EnqueuedTask[] {
    return this.bench.ledger.list(job && this.bench.registry.enqueuable(job).definition.name);
  }

  /**
   * Runs tasks until none is left: retries, delayed tasks, and those that tasks enqueue included, each at its own virtual time.
   * Schedules do not fire meanwhile. Rejects where there is no end to it, or no handler for a task.
   */
  async drain(): Promise<Drained> {
    const { store, passage } = this.bench;
    const before = new Map(store.outcomes);
    if (passage) await passage.drain();
    else await drainInRealTime(store, this.bench.settings, (why) => this.bench.endless(why));
    const count = (type: Parameters<typeof before.get>[0]) =>
      (store.outcomes.get(type) ?? 0) - (before.get(type) ?? 0);
    if (count('parked') > 0) throw new TestJobsError(this.parked());
    return {
      succeeded: count('succeeded'),
      failed: count('retry'),
      dead: count('dead'),
      cancelled: count('cancelled'),
      snoozed: count('snoozed'),
    };
  }

  /** Lets time pass: everything due on the way happens at its own moment, in order, with no real waiting. */
  async advance(by: Duration): Promise<void> {
    const { passage, clock } = this.bench;
    if (!passage) throw new TestJobsError("advance() needs the virtual clock: mode 'real' has the system's");
    const span = toSpan(by, { where: 'TestJobs', option: 'advance', calendar: true });
    await passage.advance(spanMs(span, clock.now()));
  }

  /** Forgets what was enqueued and takes it out of the store, with the schedules that calls have put. The clock stays. */
  async clear(): Promise<void> {
    const { ledger, store } = this.bench;
    const { catalog } = store;
    const { schedules, bell } = store.inner;
    const tasks = ledger.tasks;
    const acted = await catalog.cancel(tasks);
    tasks.forEach(({ queue, id }, index) => acted[index] === 'requested' && bell.ring(queue, id));
    await catalog.remove(tasks);
    for (const schedule of ledger.schedules) await schedules.remove(schedule);
    ledger.clear();
  }

  /**
   * Runs one handler with its hooks, checks and enhancers, as a runner would, and stores nothing. Params that are wrong reject,
   * as they do at enqueue; whatever the handler does is an outcome. Needs no `init()`.
   */
  async runJob<J extends JobClass>(job: J, ...args: RunJobArguments<J>): Promise<RunOutcome<ReturnedBy<J>>> {
    const [params, options = {}] = args as [unknown, RunJobOptions?];
    const { bench } = this;
    const runs = await bench.runs();
    const claimed = await claimedAs(bench.registry, job, params, options, bench.clock.now(), bench.carrying);
    const run = () => runs.run<ReturnedBy<J>>(claimed, { signal: options.signal });
    return bench.passage ? bench.passage.until(run) : run();
  }

  private parked(): string {
    const { ledger, registry } = this.bench;
    const unknown = ledger.list().filter(({ job, isRecurring }) => !isRecurring && !registry.named(job));
    const names = [...new Set(unknown.map(({ job }) => job))];
    if (names.length === 0) return 'tasks were parked: their params could not be read again';
    return `tasks of ${names.join(', ')} cannot run: no module provides the job`;
  }
}
