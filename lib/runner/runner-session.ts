import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Backend, ClaimedTask, RecoveredRun } from '../backend/backend.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { TaskEvents } from '../job/task-events.js';
import type { Clock } from '../task/clock.js';
import type { Lease, Outcome } from '../task/outcome.js';
import { Annotator } from './annotator.js';
import { Attempt } from './attempt.js';
import type { DeclaredSchedules } from './declared-schedules.js';
import type { Executor } from './executor.js';
import { drain, lastAnswer } from './drain.js';
import { Exchanges } from './exchanges.js';
import { FinishHints } from './finish-hints.js';
import { Intake } from './intake.js';
import { LeaseKeeper } from './lease-keeper.js';
import { Reports } from './reports.js';
import { tellEnd, tellRecovered } from './run-events.js';
import { sessionHealth, type SessionHealth } from './session-health.js';
import { infoOf } from './runner-info.js';
import type { QueueSettings, RunnerSettings } from './runner-settings.js';
import { SilentQueues } from './silent-queues.js';
import { Sweep } from './sweep.js';
import { Tally } from './tally.js';
import { ToldEnds } from './told-ends.js';
import { TurningPoint } from './turning-point.js';
import { lineOf } from '../task/stored-error.js';
import type { TaskLog } from './task-log.js';

const context = 'JobRunner';

export interface RunnerParts {
  readonly backend: Backend;
  readonly registry: JobRegistry;
  readonly executor: Executor;
  readonly clock: Clock;
  /** What the runner itself meets, said even where lines about tasks are not wanted. */
  readonly log: JobsLog;
  readonly lines: TaskLog;
  /** Lines about tasks and schedules. */
  readonly taskLines: JobsLog;
  readonly declared: DeclaredSchedules;
  readonly events: TaskEvents;
}

/** A runner from one start to one stop: what it runs, and how that begins and ends. */
export class RunnerSession {
  private readonly name = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  private readonly intake: Intake;
  private readonly keeper: LeaseKeeper;
  private readonly silent: SilentQueues;
  private readonly exchanges: Exchanges;
  private readonly running = new Set<Attempt>();
  private readonly annotator: Annotator;
  private readonly tally = new Tally();
  private readonly reports: Reports;
  private readonly hints: FinishHints;
  private readonly toldEnds = new ToldEnds();
  /** Nothing runs any more. */
  private readonly drained: TurningPoint;
  private stopListening: () => void = () => undefined;
  private isAccepting = true;
  private isOver = false;
  private beganAt = 0;

  constructor(
    private readonly parts: RunnerParts,
    private readonly settings: RunnerSettings,
    queues: readonly QueueSettings[],
  ) {
    const { backend, clock, registry, lines } = parts;
    const say = this.say.bind(this);
    this.silent = new SilentQueues(clock, (message, reason) => say('warn', message, reason));
    this.intake = new Intake(
      queues,
      settings.concurrency,
      settings.batch,
      this.silent.pausedUntil,
      backend.tasks.isWideFrom,
    );
    this.drained = new TurningPoint(clock, () => this.running.size === 0);
    this.keeper = new LeaseKeeper(backend, clock, settings, (message, error) => {
      say('warn', message, error);
      this.exchanges.wake();
    });
    this.annotator = new Annotator(backend.tasks, clock);
    this.reports = new Reports(backend, clock, this.tally, () =>
      infoOf(this.name, settings.concurrency, queues, this.running, clock.elapsed()),
    );
    this.hints = new FinishHints(backend.events, clock, backend.bell.lossless);
    const { intake, keeper, silent } = this;
    const sweep = new Sweep(backend.bell.lossless ? Infinity : settings.pollIntervalMs);
    const begin = (tasks: readonly ClaimedTask[], leaseEndsAt: number) => this.runAll(tasks, leaseEndsAt);
    const recovered = (runs: readonly RecoveredRun[]) => this.recovered(runs);
    const settled = (attempt: Attempt, end: Outcome | 'lost') => this.settled(attempt, end);
    this.exchanges = new Exchanges(
      { backend, clock, lines, intake, keeper, silent, sweep, begin, recovered, settled, say },
      {
        name: this.name,
        leaseMs: settings.leaseMs,
        declares: registry.provided().map(({ definition }) => definition.name),
      },
    );
  }

  begin(): void {
    this.beganAt = this.parts.clock.elapsed();
    this.keeper.start(this.intake.queues);
    void this.listen();
    this.exchanges.wake();
    this.reports.begin();
  }

  /** Really looks, with what that takes; never rejects. */
  health(withinMs: number): Promise<SessionHealth> {
    const { intake, exchanges, keeper, silent, running, settings, beganAt } = this;
    const { clock, backend } = this.parts;
    const isNeverSweeping = backend.bell.lossless && this.isAccepting;
    const parts = { intake, exchanges, keeper, silent, running, clock, settings, isNeverSweeping, beganAt };
    return sessionHealth(parts, withinMs);
  }

  /** Claims nothing more; what runs may end, then it is handed back. */
  async end(): Promise<void> {
    this.isAccepting = false;
    this.exchanges.stopClaiming();
    await drain({
      running: this.running,
      drained: this.drained,
      stored: this.exchanges.stored,
      unstored: () => this.exchanges.unstored,
      shutdownTimeoutMs: this.settings.shutdownTimeoutMs,
      say: (level, message) => this.say(level, message),
    });
    if (this.silent.unheard.size > 0) await this.handBackUnheard();
    this.isOver = true;
    this.exchanges.stop();
    this.stopListening();
    this.annotator.end();
    this.hints.end();
    await Promise.all([this.keeper.stop(), this.reports.end()]);
  }

  private async listen(): Promise<void> {
    try {
      const stop = await this.parts.backend.bell.listen(this.intake.queues, (queue, cancelledId) => {
        if (cancelledId !== undefined) return this.keeper.cancel(queue, cancelledId);
        this.intake.ring(queue);
        this.exchanges.wake();
      });
      if (this.isOver) return stop();
      this.stopListening = stop;
      this.intake.sweep(); // What was rung before anyone listened.
      this.exchanges.wake();
    } catch (error) {
      this.say('warn', `the bell cannot be heard, looking every ${this.settings.pollIntervalMs} ms`, error);
    }
  }

  /** With no further claim to come: takes nothing, and gives back what a lost answer left in our name. */
  private async handBackUnheard(): Promise<void> {
    const queues = Array.from(this.silent.unheard, (queue) => ({ queue, limit: 0 }));
    const { leaseMs } = this.settings;
    const request = { queues, limit: 0, leaseMs, runner: this.name, holding: this.keeper.held };
    await lastAnswer(this.parts.clock, this.parts.backend.tasks.claim(request));
  }

  /** All are held before the first begins: a handler may keep the event loop from turning. */
  private runAll(tasks: readonly ClaimedTask[], leaseEndsAt: number): void {
    const attempts = tasks.map((task) => {
      const attempt = new Attempt(task, leaseEndsAt, this.annotator);
      this.running.add(attempt);
      this.keeper.watch(attempt);
      return attempt;
    });
    this.reports.changed();
    for (const attempt of attempts) this.run(attempt);
  }

  private run(attempt: Attempt): void {
    // A lease that is over before the run, as after a slow answer: the task may be another's. Or nothing more may begin.
    if (this.keeper.isEnding(attempt) || !this.isAccepting) attempt.handBack();
    this.parts.executor.execute(attempt, (outcome) => this.ended(attempt, outcome));
  }

  private ended(attempt: Attempt, outcome: Outcome): void {
    this.running.delete(attempt);
    attempt.hasOutcome = true;
    if (attempt.startedAt > 0) attempt.endedAt = this.parts.clock.elapsed();
    if (attempt.notes) this.annotator.leave(attempt);
    if (outcome.type === 'handed-back' && !attempt.isLost)
      attempt.line = () => this.parts.lines.handedBack(attempt.claimed);
    this.exchanges.offer(attempt, outcome);
    this.drained.changed();
  }

  /** The figures of these are kept by the store itself. */
  private recovered(runs: readonly RecoveredRun[]): void {
    const { held } = this.keeper;
    for (const run of runs) {
      // One that goes on here ends as lost, too, and is told of then, if it has not been already.
      const isTold = held.some((lease) => isSame(lease, run)) || this.toldEnds.has(run);
      if (run.outcome === 'lost' && isTold) continue;
      this.parts.lines.recovered(run);
      tellRecovered(this.parts.events, run);
      if (run.outcome !== 'lost') this.hints.ended(run);
    }
  }

  private settled(attempt: Attempt, end: Outcome | 'lost'): void {
    if (attempt.isLeaseOver || attempt.leaseEndsAt <= this.parts.clock.elapsed())
      this.toldEnds.add(attempt.claimed);
    tellEnd(this.parts.events, attempt, end, this.parts.registry);
    this.reports.changed();
    if (end === 'lost') return;
    this.tally.count(attempt, end);
    this.hints.settled(attempt.claimed, end);
  }

  private say(level: 'warn' | 'error', message: string, error?: unknown): void {
    this.parts.log.write(level, context, error === undefined ? message : `${message}: ${lineOf(error)}`);
  }
}

function isSame(one: Lease, other: Lease): boolean {
  return one.id === other.id && one.queue === other.queue && one.epoch === other.epoch;
}
