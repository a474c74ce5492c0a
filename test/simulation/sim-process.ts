import { Executor } from '../../lib/runner/executor.js';
import type { ClaimedTask } from '../../lib/backend/backend.js';
import { classSourceOf } from '../../lib/job/declaration.js';
import { declaredSchedule } from '../../lib/job/declared-schedule.js';
import type { Handler, OpenHandler } from '../../lib/job/handler.js';
import { HookChain } from '../../lib/job/hook-chain.js';
import type { JobDefinition } from '../../lib/job/job-definition.js';
import type { JobClass } from '../../lib/job/job-handler.js';
import { JobRegistry } from '../../lib/job/job-registry.js';
import { JobsLog } from '../../lib/job/jobs-log.js';
import { TaskEvents } from '../../lib/job/task-events.js';
import { Carriage } from '../../lib/observe/carriage.js';
import { Adder } from '../../lib/queue/adder.js';
import type { Enqueued } from '../../lib/queue/enqueued.js';
import { JobQueue } from '../../lib/queue/job-queue.js';
import { ResultWaits } from '../../lib/queue/result-waits.js';
import { SchedulePutter } from '../../lib/queue/schedule-putter.js';
import { TaskWriter } from '../../lib/queue/task-writer.js';
import type { Attempt } from '../../lib/runner/attempt.js';
import { Conclusion } from '../../lib/runner/conclusion.js';
import { DeclaredSchedules } from '../../lib/runner/declared-schedules.js';
import { JobRunner } from '../../lib/runner/job-runner.js';
import { Patience } from '../../lib/runner/patience.js';
import { TaskLog } from '../../lib/runner/task-log.js';
import type { EnqueueOptions } from '../../lib/task/enqueue-options.js';
import type { Outcome } from '../../lib/task/outcome.js';
import type { TaskEvent } from '../../lib/task/task-event.js';
import { TaskIds } from '../../lib/task/task-id.js';
import type { Task } from '../../lib/task/task.js';
import type { History } from './history.js';
import type { CutOff, Network } from './network.js';
import type { Seeded } from './seeded.js';
import { simBackend, type SimStore } from './sim-backend.js';
import { SimClock } from './sim-clock.js';
import { simRun } from './sim-run.js';
import type { Weather } from './weather.js';
import type { Loop, Pending, World } from './world.js';

/** What all processes of a simulation share. */
export interface Sim {
  readonly world: World;
  readonly random: Seeded;
  readonly weather: Weather;
  readonly history: History;
  readonly network: Network;
  readonly store: SimStore;
}

/** One process with the real runner, queue and scheduler, on an event loop of its own that can stall or die. */
export class SimProcess implements Loop {
  isAlive = true;
  isStopping = false;
  stalledUntil = 0;
  cutOff: { readonly what: CutOff; readonly until: number } | undefined;
  /** Handlers and hooks that have not ended, enqueues and calls that have no answer. */
  runs = 0;
  enqueues = 0;
  calls = 0;
  readonly rank: number;
  readonly clock: SimClock;
  private readonly queue: JobQueue;
  private readonly registry: JobRegistry;
  private readonly declared: DeclaredSchedules;
  private readonly adder: Adder;
  private readonly runner: JobRunner;
  /** Whose handler is being opened. */
  private opening: ClaimedTask | undefined;

  constructor(
    readonly name: string,
    readonly sim: Sim,
    private readonly jobs: readonly JobClass[],
    private readonly concurrency: number,
  ) {
    const { world, random, weather } = sim;
    this.rank = random.next();
    const aheadMs = random.chance(0.5) ? 0 : Math.round(random.between(-3_600_000, 3_600_000));
    const clock = (this.clock = new SimClock(world, this, aheadMs, random.between(0.9998, 1.0002)));
    const backend = simBackend(sim.store, this);
    const log = new JobsLog(false);
    const events = new TaskEvents((error) => this.unforeseen(error));
    events.listen((event) => {
      if (event.type === 'lost') this.toldLost(event);
    });
    const hooks = new HookChain((_, __, error) => this.unforeseen(error));
    const registry = (this.registry = new JobRegistry(
      { defaults: { timeZone: 'UTC' }, payloadLimit: 10_000, runsQueue: () => false },
      hooks,
    ));
    const declared = (this.declared = new DeclaredSchedules(registry));
    this.adder = new Adder(backend, clock, 4_000);
    const carriage = new Carriage(undefined, undefined);
    this.queue = new JobQueue(
      registry,
      new TaskWriter(backend, this.adder),
      new SchedulePutter(backend, clock, 4_000),
      new TaskIds(),
      clock,
      log,
      events,
      carriage,
      true,
      new ResultWaits(backend, clock, async () => []),
    );
    const lines = new TaskLog(log, clock, (job, extra) => registry.redactionOf(job, extra));
    const patience = new Patience(clock);
    const keep = {
      succeededMs: () => weather.keepMs,
      deadMs: () => 86_400_000,
      cancelledMs: () => 86_400_000,
    };
    const conclusion = new Conclusion(hooks, patience, keep, 10_000, clock, lines, log);
    const noTransactions = () => {
      throw new Error('the simulated store has no transactions');
    };
    const executor = new WatchedExecutor(
      (claimed) => (this.opening = claimed),
      (claimed, outcome) => sim.history.add({ type: 'offered', ...this.runOf(claimed), outcome }),
      [registry, clock, patience, conclusion, lines, log, events, carriage, noTransactions],
    );
    this.runner = new JobRunner(
      { backend, registry, executor, clock, log, lines, taskLines: log, declared, events },
      {
        queues: undefined,
        concurrency,
        batch: random.pick([Infinity, Infinity, 2]),
        leaseMs: weather.leaseMs,
        pollIntervalMs: weather.pollIntervalMs,
        shutdownTimeoutMs: weather.shutdownTimeoutMs,
        blockedLimitMs: weather.blockedLimitMs,
        schedules: true,
        autoStart: true,
      },
    );
  }

  /** As an application boots. */
  async boot(): Promise<void> {
    for (const target of this.jobs) {
      const job = this.registry.provide(classSourceOf(target)!, (definition) => this.handlerOf(definition));
      const schedule = await declaredSchedule(job!.definition, undefined as never);
      if (schedule) this.registry.declare(schedule);
    }
    await this.declared.prepare();
    this.adder.open();
    this.sim.history.add({ type: 'up', process: this.name, concurrency: this.concurrency });
    await this.runner.ready();
  }

  enqueue(job: JobClass, params: object, options: EnqueueOptions): Promise<Enqueued> {
    const enqueue = this.queue.enqueue.bind(this.queue) as (...said: unknown[]) => Promise<Enqueued>;
    return enqueue(job, params, options);
  }

  /** As an application closes, when its loop hears of it. */
  stop(): void {
    this.isStopping = true;
    const { world, random, network } = this.sim;
    const { isCalm } = network;
    const linger = () => void this.after(random.between(0, 20_000), () => (this.isAlive = false));
    world.after(0, () => void this.close(isCalm).then(linger), this);
  }

  private async close(isCalm: boolean): Promise<void> {
    const { world, history, weather } = this.sim;
    const stalledMs = Math.max(this.stalledUntil - world.now, 0);
    const limitMs = 1.01 * (weather.shutdownTimeoutMs + 11_000) + stalledMs + 4 * weather.callTimeoutMs;
    history.add({ type: 'stopping', process: this.name, limitMs: Math.round(limitMs) });
    await this.runner.close();
    this.adder.close();
    const calls = isCalm ? this.calls : undefined;
    history.add({ type: 'down', process: this.name, timers: this.clock.timers.size, calls });
  }

  /** Without a word. */
  die(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.sim.network.died(this);
    this.sim.history.add({ type: 'died', process: this.name });
  }

  stall(ms: number): void {
    if (this.isStopping) return;
    this.stalledUntil = Math.max(this.stalledUntil, this.sim.world.now + ms);
    this.sim.history.add({ type: 'stalled', process: this.name, forMs: Math.ceil(ms) });
  }

  after(ms: number, run: () => void): Pending {
    return this.sim.world.after(ms, run, this, 'timer');
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** What the history calls a run. */
  runOf({ queue, id, epoch, attempt }: ClaimedTask) {
    return { process: this.name, queue, id: this.sim.history.nameOf(id), epoch, attempt };
  }

  /** Handlers are Nest's to make; here the simulation is the handler. */
  private handlerOf({ name }: JobDefinition): Handler {
    const afterRun = async (success: boolean) => {
      this.runs++;
      await this.sleep(this.sim.random.longTailed(1, 500));
      if (success) await this.enqueue(this.jobs[0]!, {}, { in: 10 }).catch(() => undefined);
      this.runs--;
    };
    const instance: OpenHandler['instance'] = name === 'Chained' ? { afterRun } : {};
    const open = () => {
      const claimed = this.opening!;
      return { instance, run: (_: unknown, task: unknown) => simRun(this, claimed, task as Task) };
    };
    return { open, shape: instance } as unknown as Handler;
  }

  private toldLost({ queue, id, attempt }: TaskEvent & { type: 'lost' }): void {
    const { history } = this.sim;
    history.add({ type: 'told-lost', process: this.name, queue, id: history.nameOf(id), attempt });
  }

  private unforeseen(error: unknown): void {
    throw error;
  }
}

/** Says which claim a run comes from, which a handler does not learn. */
class WatchedExecutor extends Executor {
  constructor(
    private readonly opening: (claimed: ClaimedTask) => void,
    private readonly ended: (claimed: ClaimedTask, outcome: Outcome['type']) => void,
    parts: ConstructorParameters<typeof Executor>,
  ) {
    super(...parts);
  }

  override execute(attempt: Attempt, reached: (outcome: Outcome) => void): void {
    this.opening(attempt.claimed);
    super.execute(attempt, (outcome) => {
      this.ended(attempt.claimed, outcome.type);
      reached(outcome);
    });
  }
}
