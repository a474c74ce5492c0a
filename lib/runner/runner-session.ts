import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Backend, ClaimedTask } from '../backend/backend.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import type { Outcome, Settled } from '../task/outcome.js';
import { Attempt } from './attempt.js';
import type { Executor } from './executor.js';
import { drain, lastAnswer } from './drain.js';
import { Intake, type Asking } from './intake.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { QueueSettings, RunnerSettings } from './runner-settings.js';
import { SilentQueues } from './silent-queues.js';
import { Settler, slotsLeavingWith, type Unsettled } from './settler.js';
import { StoreOutage } from './store-outage.js';
import { Sweep } from './sweep.js';
import { TurningPoint } from './turning-point.js';
import { isPromise } from '../task/realm.js';
import { lineOf } from '../task/stored-error.js';
import type { TaskLog } from './task-log.js';

const context = 'JobRunner';

export interface RunnerParts {
  readonly backend: Backend;
  readonly registry: JobRegistry;
  readonly executor: Executor;
  readonly clock: Clock;
  readonly log: JobsLog;
  readonly lines: TaskLog;
}

/**
 * A runner from one start to one stop. One exchange with the store is under way at a time: it brings the outcomes of the
 * moment and asks for as many tasks as there are free slots, so a busy runner pays one round trip for many tasks.
 */
export class RunnerSession {
  private readonly name = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  private readonly intake: Intake;
  private readonly settler: Settler;
  private readonly keeper: LeaseKeeper;
  private readonly silent: SilentQueues;
  private readonly outage: StoreOutage;
  private readonly sweep: Sweep;
  private readonly running = new Set<Attempt>();
  /** Nothing runs any more. */
  private readonly drained: TurningPoint;
  /** Every outcome is stored, and no claim is under way that could bring more. */
  private readonly stored: TurningPoint;
  private readonly declares: string[];
  private stopListening: () => void = () => undefined;
  private timer: ClockTimer | undefined;
  private isAccepting = true;
  private isOver = false;
  private isExchangeQueued = false;
  private isExchanging = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly settings: RunnerSettings,
    queues: readonly QueueSettings[],
  ) {
    const { backend, clock, registry } = parts;
    this.silent = new SilentQueues(clock, (message, reason) => this.say('warn', message, reason));
    this.intake = new Intake(queues, settings.concurrency, settings.batch, this.silent.pausedUntil);
    this.settler = new Settler(backend.tasks);
    this.outage = new StoreOutage(clock);
    this.sweep = new Sweep(backend.bell.lossless ? Infinity : settings.pollIntervalMs);
    this.drained = new TurningPoint(clock, () => this.running.size === 0);
    this.stored = new TurningPoint(clock, () => this.intake.used === 0 && !this.isExchanging);
    this.keeper = new LeaseKeeper(backend, clock, settings, this.intake.queues, (message, error) => {
      this.say('warn', message, error);
      this.wake();
    });
    this.declares = registry.provided().map(({ definition }) => definition.name);
  }

  begin(): void {
    void this.listen();
    this.wake();
  }

  /** Claims nothing more; what runs may end, then it is handed back. */
  async end(): Promise<void> {
    this.isAccepting = false;
    await drain({
      running: this.running,
      drained: this.drained,
      stored: this.stored,
      unstored: () => this.intake.used,
      shutdownTimeoutMs: this.settings.shutdownTimeoutMs,
      say: (level, message) => this.say(level, message),
    });
    if (this.silent.unheard.size > 0) await this.handBackUnheard();
    this.isOver = true;
    this.timer?.cancel();
    this.stopListening();
    await this.keeper.stop();
  }

  private async listen(): Promise<void> {
    try {
      const stop = await this.parts.backend.bell.listen(this.intake.queues, (queue, cancelledId) => {
        if (cancelledId !== undefined) return this.keeper.cancel(queue, cancelledId);
        this.intake.ring(queue);
        this.wake();
      });
      if (this.isOver) return stop();
      this.stopListening = stop;
      this.intake.sweep(); // What was rung before anyone listened.
      this.wake();
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

  /** Asks for an exchange: outcomes and bells of the same moment share it, and I/O gets its turn in between. */
  private wake(): void {
    if (this.isExchangeQueued || this.isOver) return;
    this.isExchangeQueued = true;
    setImmediate(() => {
      this.isExchangeQueued = false;
      void this.exchange();
    });
  }

  private async exchange(): Promise<void> {
    if (this.isExchanging || this.isOver) return;
    this.isExchanging = true;
    try {
      await this.exchangeOnce();
    } catch (error) {
      this.say('error', 'the runner met an error of its own', error);
    } finally {
      this.isExchanging = false;
    }
    this.stored.changed();
    this.sleep();
  }

  private async exchangeOnce(): Promise<void> {
    const now = this.parts.clock.elapsed();
    if (this.outage.isPausing) return;
    const isSweep = this.isAccepting && now >= this.sweep.at;
    if (isSweep) this.intake.sweep();
    await this.keeper.catchUp();
    const batch = this.settler.take(this.silent.pausedAt(now));
    const { unheard } = this.silent;
    const asking = this.mayClaim ? this.intake.ask(now, slotsLeavingWith(batch), unheard) : undefined;
    // With every slot taken it stays due: what is parked must not miss its turn.
    if (isSweep && !this.intake.isFull) this.sweep.done(now);
    // Both leave before either is awaited, so that they share a round trip; outcomes first.
    const settling = batch.length > 0 ? this.settler.send(batch) : undefined;
    const claiming = asking && this.claim(asking, now, isSweep);
    const [settled, claimed] = await Promise.allSettled([settling, claiming]);
    if (settled.status === 'fulfilled' && settled.value) this.settled(batch, settled.value);
    const failed = [settled, claimed].find((result) => result.status === 'rejected');
    if (!failed) return this.outage.answered();
    if (this.outage.failed()) this.say('warn', 'the job store does not answer, trying again', failed.reason);
  }

  private async claim(asking: Asking, sentAt: number, isSweep: boolean): Promise<void> {
    const { clock, backend } = this.parts;
    const { leaseMs } = this.settings;
    const { unheard } = this.silent;
    try {
      const claim = await backend.tasks.claim({
        ...asking,
        leaseMs,
        runner: this.name,
        // A store of this process asks for nothing more by it; elsewhere it is a look too many for every claim.
        declares: isSweep || backend.bell.lossless ? this.declares : undefined,
        holding: asking.queues.some(({ queue }) => unheard.has(queue)) ? this.keeper.held : undefined,
      });
      if (this.isOver) return this.settler.handBack(claim.tasks);
      this.silent.claimed(asking.queues, claim.unanswered);
      this.intake.answered(asking, claim, clock.elapsed());
      this.runAll(claim.tasks, sentAt + leaseMs);
    } catch (error) {
      for (const { queue } of asking.queues) unheard.add(queue);
      this.intake.failed(asking, clock.elapsed());
      throw error;
    }
  }

  /** All are held before the first begins: a handler may keep the event loop from turning. */
  private runAll(tasks: readonly ClaimedTask[], leaseEndsAt: number): void {
    const attempts = tasks.map((task) => {
      const attempt = new Attempt(task, leaseEndsAt);
      this.running.add(attempt);
      this.keeper.watch(attempt);
      return attempt;
    });
    for (const attempt of attempts) this.run(attempt);
  }

  private run(attempt: Attempt): void {
    // A lease that ended before the run, as after a slow answer: the task may be another's. Or nothing more may begin.
    const now = this.parts.clock.elapsed();
    const hasEnded = attempt.leaseEndsAt <= now && this.keeper.endOf(attempt) <= now;
    if (hasEnded || !this.isAccepting) attempt.handBack();
    const outcome = this.parts.executor.execute(attempt);
    if (isPromise(outcome)) void outcome.then((reached) => this.ended(attempt, reached));
    else this.ended(attempt, outcome);
  }

  private ended(attempt: Attempt, outcome: Outcome): void {
    this.running.delete(attempt);
    attempt.hasOutcome = true;
    if (outcome.type === 'handed-back' && !attempt.isLost) this.parts.lines.handedBack(attempt.claimed);
    this.settler.add(attempt, outcome);
    this.drained.changed();
    this.wake();
  }

  private settled(batch: readonly Unsettled[], answers: readonly Settled[]): void {
    const now = this.parts.clock.elapsed();
    batch.forEach(({ attempt, outcome }, index) => {
      const { claimed } = attempt;
      // Its slot stays taken, and its lease held, until the store has it.
      if (answers[index] === 'unanswered') return this.silent.failed([claimed]);
      this.keeper.unwatch(attempt);
      this.intake.release(claimed.queue);
      if (answers[index] === 'lost') this.parts.lines.lost(claimed.job, claimed);
      else if ('delayMs' in outcome) this.intake.expect(claimed.queue, now + outcome.delayMs);
    });
  }

  /** Sleeps until the next thing that is known to come; a bell wakes earlier. */
  private sleep(): void {
    if (this.isOver) return;
    this.timer?.cancel();
    this.timer = undefined;
    const { clock } = this.parts;
    const looks =
      this.mayClaim && !this.intake.isFull ? Math.min(this.intake.nextLookAt, this.sweep.at) : Infinity;
    const offers = this.settler.nextAt(this.silent.pausedUntil);
    const next = Math.max(Math.min(offers, looks), this.outage.pausedUntil);
    if (next === Infinity) return;
    const delayMs = next - clock.elapsed();
    if (delayMs <= 0) return this.wake();
    this.timer = clock.after(delayMs, () => this.wake());
  }

  /** Claiming more while leases cannot be renewed would only lose more. */
  private get mayClaim(): boolean {
    return this.isAccepting && this.keeper.isKeeping;
  }

  private say(level: 'warn' | 'error', message: string, error?: unknown): void {
    this.parts.log.write(level, context, error === undefined ? message : `${message}: ${lineOf(error)}`);
  }
}
