import type { ModuleRef } from '@nestjs/core';
import type { Backend } from '../backend/backend.js';
import { memoryBackend } from '../backend/memory/memory-backend.js';
import type { Carrying } from '../job/carrying.js';
import { JobExplorer } from '../job/job-explorer.js';
import { JobRegistry } from '../job/job-registry.js';
import { TaskEvents } from '../job/task-events.js';
import { JOBS_OPTIONS } from '../jobs-root.js';
import { Carriage } from '../observe/carriage.js';
import type { JobQueue } from '../queue/job-queue.js';
import { ResultWaits } from '../queue/result-waits.js';
import { resolveOptions, type ResolvedOptions } from '../resolve-options.js';
import { JobRunner } from '../runner/job-runner.js';
import type { StandIns } from '../stand-ins.js';
import { SystemClock, type Clock } from '../task/clock.js';
import type { Outcome } from '../task/outcome.js';
import type { TaskNotes } from '../task/task-record.js';
import { TestJobsError, type EndlessWorkError } from './errors.js';
import { whatIsLeft } from './left-over.js';
import { orInVain } from './in-vain.js';
import { Ledger } from './ledger.js';
import { Passage } from './passage.js';
import { SingleRuns } from './single-runs.js';
import { testQueueOf, type EnqueueCall } from './test-queue.js';
import { allShut, TestStore } from './test-store.js';
import type { ResolvedTesting } from './testing-options.js';
import { VirtualClock } from './virtual-clock.js';

/** How long a task stays that `enqueue` runs itself: nobody renews it, and nobody else would take it. */
const inlineLeaseMs = 100 * 365 * 86_400_000;

/** What stands in for the real parts in one application under test, and how it is worked. */
export class Bench implements StandIns {
  readonly clock: Clock;
  readonly JobQueue: typeof JobQueue;
  readonly options: ResolvedOptions = resolveOptions({ backend: 'memory:' });
  readonly ledger = new Ledger((job) => this.registry.named(job)?.definition);
  private made: { readonly store: TestStore; readonly passage: Passage | undefined } | undefined;
  private singleRuns: SingleRuns | undefined;
  private besides: JobRunner[] = [];
  private readonly covered = new Set<string>();
  private isReady = false;
  private taking: Promise<unknown> = Promise.resolve();

  constructor(
    readonly settings: ResolvedTesting,
    private readonly moduleRef: ModuleRef,
  ) {
    const { mode, startsAt = Date.now(), timers } = settings;
    this.clock =
      mode === 'real'
        ? new SystemClock()
        : new VirtualClock(startsAt, (byMs) => void timers?.advanceTimersByTime(byMs));
    this.JobQueue = testQueueOf(
      (calls) => this.told(calls),
      (id, result) => this.awaited(id, result),
    );
  }

  backendOn(clock: Clock): Backend {
    if (clock !== this.clock)
      throw new TestJobsError(
        'Clock is overridden, but JobsTestingModule brings its own: leave the override out',
      );
    const { mode, transaction } = this.settings;
    const doors = mode === 'real' ? { tasks: true, schedules: true } : allShut;
    const watch = { used: (queue: string) => this.cover([queue]), ended: () => this.ended() };
    const store = new TestStore(memoryBackend({ clock }), this.ledger, clock, doors, transaction, watch);
    const passage =
      clock instanceof VirtualClock
        ? new Passage(store, clock, this.settings, {
            endless: (why) => this.endless(why),
            ended: watch.ended,
          })
        : undefined;
    this.made = { store, passage };
    return store.backend;
  }

  get store(): TestStore {
    if (!this.made) throw new TestJobsError('the application has not been compiled');
    return this.made.store;
  }

  /** How time passes; only where it is virtual. */
  get passage(): Passage | undefined {
    return this.made?.passage;
  }

  /** What `drain` and `advance` say where there is no end to it. */
  endless(why: string): Promise<EndlessWorkError> {
    return whatIsLeft(why, this.store, this.ledger, this.settings);
  }

  get registry(): JobRegistry {
    return this.moduleRef.get(JobRegistry, { strict: false });
  }

  /** What travels with tasks. */
  get carrying(): Carrying {
    return this.moduleRef.get(Carriage, { strict: false });
  }

  /** Also of an application that was compiled and not begun. */
  async runs(): Promise<SingleRuns> {
    await this.moduleRef.get(JobExplorer, { strict: false }).explore(this.registry);
    const runner = this.moduleRef.get(JobRunner, { strict: false });
    const events = this.moduleRef.get(TaskEvents, { strict: false });
    return (this.singleRuns ??= new SingleRuns(runner.executor, events, this.clock, this.registry));
  }

  /** The application has begun: whatever it provides can be run, also where it says that this process does not. */
  async ready(): Promise<void> {
    this.isReady = true;
    const provided = this.registry.provided().map(({ definition }) => definition.queue);
    await this.cover([...provided, ...(await this.store.inner.catalog.queues())]);
  }

  /** Nothing runs that could keep the application from closing for longer than the patience. */
  async close(): Promise<void> {
    this.isReady = false;
    if (this.clock instanceof VirtualClock) this.clock.release(this.settings.patienceMs);
    const runners = this.besides;
    this.besides = [];
    await Promise.all([
      ...runners.map((runner) => runner.close()),
      this.singleRuns?.close(this.settings.patienceMs),
    ]);
    this.passage?.end();
  }

  /** Runs queues that the application's own runner leaves alone. */
  private async cover(queues: readonly string[]): Promise<void> {
    if (!this.isReady || this.settings.mode === 'real') return;
    const runner = this.moduleRef.get(JobRunner, { strict: false });
    const own = runner.isRunning ? runner.queues.map(({ name }) => name) : [];
    const bare = [...new Set(queues)].filter((queue) => !own.includes(queue) && !this.covered.has(queue));
    if (bare.length === 0) return;
    for (const queue of bare) this.covered.add(queue);
    const settings =
      this.moduleRef.get<ResolvedOptions>(JOBS_OPTIONS, { strict: false }).runner || this.options.runner;
    if (!settings) return;
    const beside = runner.beside({
      ...settings,
      queues: bare.map((name) => ({ name, concurrency: Infinity })),
      schedules: true,
      autoStart: true,
    });
    this.besides.push(beside);
    await beside.ready();
  }

  /** What has ended may be awaited, and not all that ends is told of. */
  private ended(): void {
    this.moduleRef.get(ResultWaits, { strict: false }).lookAgain();
  }

  /** Nothing runs by itself: who waits for an end without letting it come would wait for good. */
  private awaited<T>(id: string, result: Promise<T>): Promise<T> {
    const { passage, settings } = this;
    if (!passage) return result;
    const awaited = orInVain(result, passage, settings.patienceMs, notRun(id, settings.mode));
    // Whoever drains before he awaits it gets what became of it then; until then nobody has left it unheard.
    awaited.catch(() => undefined);
    return awaited;
  }

  private async told(calls: readonly EnqueueCall[]): Promise<void> {
    const failures: unknown[] = [];
    for (const { options, enqueued } of calls) {
      const { status, queue, id } = enqueued;
      if (status !== 'enqueued' && status !== 'replaced') continue;
      const entry = this.ledger.said({ queue, id }, options);
      if (this.settings.mode === 'inline' && entry && !entry.isRecurring && this.registry.named(entry.job))
        await this.runStored(queue, id).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Runs a task that is stored, now, and throws what it throws. */
  private async runStored(queue: string, id: string): Promise<void> {
    const taking = this.taking.then(() => this.store.take({ queue, id }, inlineLeaseMs));
    this.taking = taking.catch(() => undefined);
    const claimed = await taking;
    if (!claimed) return;
    const { epoch, receipt } = claimed;
    const runs = await this.runs();
    const store = (outcome: Outcome, notes: TaskNotes | undefined) =>
      this.store.settle([{ queue, id, epoch, receipt, outcome, notes }]);
    const outcome = await this.passage!.until(() => runs.run(claimed, { store }));
    if (outcome.type === 'failed' || outcome.type === 'dead') throw outcome.error;
  }
}

function notRun(id: string, mode: string): string {
  return (
    `task ${id}: its result is waited for, but in mode '${mode}' ${mode === 'inline' ? 'retries do not run' : 'nothing runs'} ` +
    'by itself: begin the wait, let the task run by `await jobs.drain()` or `jobs.advance(…)`, then await the result; ' +
    "where the code under test awaits it, use mode 'inline' or 'real'"
  );
}
