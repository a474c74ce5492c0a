import type { Backend, LeaseGuard, Renewal } from '../backend/backend.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import { LeaseLostError, TaskCancelledError } from '../task/errors.js';
import type { Lease } from '../task/outcome.js';
import { attemptsOf, type Attempt } from './attempt.js';
import { EarlyRings } from './early-rings.js';
import { loseLease } from './lose-lease.js';
import type { RunnerSettings } from './runner-settings.js';
import { SharedRenewal } from './shared-renewal.js';
import { earliestEnd, Unrenewed } from './unrenewed.js';

/**
 * Renews the leases of all attempts whose outcome is not stored, also while every slot is taken and while draining.
 * Where the backend has a guard that does so apart from the event loop, it renews only what that has not renewed in time.
 * Where neither can, it aborts their signals before the leases end.
 */
export class LeaseKeeper {
  private readonly attempts = new Set<Attempt>();
  private readonly unrenewed: Unrenewed;
  private timer: ClockTimer | undefined;
  private tickAt = Infinity;
  private readonly renewal: SharedRenewal;
  private failedSince: number | undefined;
  private readonly early = new EarlyRings();
  private isSilentInPart = false;
  private isStopped = false;
  private readonly leaseMs: number;
  private readonly marginMs: number;
  guard: LeaseGuard | undefined;

  constructor(
    private readonly backend: Backend,
    private readonly clock: Clock,
    private readonly settings: Pick<RunnerSettings, 'leaseMs' | 'blockedLimitMs'>,
    private readonly report: (message: string, error?: unknown) => void,
  ) {
    this.leaseMs = settings.leaseMs;
    this.marginMs = settings.leaseMs / 10;
    this.renewal = new SharedRenewal(
      clock,
      () => this.renewAll(),
      () => this.patienceMs,
    );
    this.unrenewed = new Unrenewed(clock, this.marginMs, () => this.abortEnding());
  }

  start(queues: readonly string[]): void {
    this.guard = this.backend.guardLeases?.({
      ...this.settings,
      queues,
      lost: (lease) => this.lose([lease]),
      cancelled: ({ queue, id }) => this.cancel(queue, id),
      report: (message) => this.report(message),
    });
  }

  /** What a guard fails to renew must still be seen in time. */
  private get pauseMs(): number {
    return this.guard ? this.leaseMs / 6 : this.leaseMs / 3;
  }

  /** Whether the store takes renewals; while it does not, claiming more would only lose more. */
  get isKeeping(): boolean {
    return this.failedSince === undefined;
  }

  /** All that this runner knows to hold. */
  get held(): Lease[] {
    return Array.from(this.attempts, ({ claimed: { queue, id, epoch } }) => ({ queue, id, epoch }));
  }

  watch(attempt: Attempt): void {
    this.attempts.add(attempt);
    const now = this.clock.elapsed();
    if (this.timer === undefined) this.tickAfter(this.pauseMs);
    if (attempt.leaseEndsAt - this.leaseMs / 3 < Math.max(this.tickAt, now)) this.hurry(attempt, now);
    if (this.guard) attempt.guarded = { guard: this.guard, row: this.guard.hold(attempt.claimed) };
    if (this.early.take(attempt.claimed, now)) void this.askAbout(attempt);
  }

  /** Its claim was answered late, or read late: what is left of its lease does not last until its turn, or past one it missed. */
  private hurry(attempt: Attempt, now: number): void {
    this.unrenewed.add(attempt);
    // One that is due is not put off, and after one that is under way the next comes soon.
    if (this.tickAt > now) this.tickAfter(0);
  }

  unwatch(attempt: Attempt): void {
    this.attempts.delete(attempt);
    this.unrenewed.delete(attempt);
    attempt.guarded?.guard.release(attempt.guarded.row);
    attempt.guarded = undefined;
  }

  /** A cancellation that the bell brought. */
  cancel(queue: string, id: string): void {
    let isHere = false;
    // After a lost lease the same runner may have the task a second time.
    for (const attempt of this.attempts) {
      if (attempt.claimed.id !== id || attempt.claimed.queue !== queue) continue;
      isHere = true;
      attempt.cancel(new TaskCancelledError(`task ${id} was cancelled`));
    }
    if (!isHere) this.early.add({ queue, id }, this.clock.elapsed());
  }

  /** It was rung for before it was here: that may have been for this run, or for one before it, and the store knows. */
  private async askAbout(attempt: Attempt): Promise<void> {
    const { cancelled } = await this.renewNow([attempt]).catch(() => nothingToTell);
    for (const { queue, id } of cancelled) this.cancel(queue, id);
  }

  /** Whether a blocked event loop has kept leases from being renewed: they must not be taken for lost before. */
  get isLate(): boolean {
    return this.tickAt !== Infinity && this.clock.elapsed() > this.tickAt + this.leaseMs / 3;
  }

  async catchUp(): Promise<void> {
    await this.renewal.ask().catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.renewal.stop();
    this.unrenewed.stop();
    this.rest();
    for (const attempt of this.attempts) this.unwatch(attempt);
    await this.guard?.stop();
  }

  private async tick(): Promise<void> {
    this.guard?.alive();
    try {
      await this.renewal.ask();
    } catch (error) {
      if (this.failedSince === undefined) this.report('leases cannot be renewed, trying again', error);
      this.failedSince ??= this.clock.elapsed();
      this.abortEnding();
    }
    if (this.timer === undefined) return;
    const isWatching = this.attempts.size > 0;
    const isWell = this.failedSince === undefined && this.unrenewed.size === 0;
    const dueMs = isWell ? earliestEnd(this.attempts) - this.leaseMs / 3 - this.clock.elapsed() : 0;
    if (isWatching) this.tickAfter(Math.max(Math.min(this.pauseMs, dueMs), this.leaseMs / 20));
    else this.rest();
    // With nothing to renew there is no telling: the next claim will.
    if (!isWatching && this.failedSince !== undefined) this.recovered('no lease is left to renew');
  }

  private tickAfter(delayMs: number): void {
    this.guard?.alive();
    this.timer?.cancel();
    this.tickAt = this.clock.elapsed() + delayMs;
    this.timer = this.clock.after(delayMs, () => void this.tick());
  }

  private rest(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.tickAt = Infinity;
  }

  private async renewAll(): Promise<void> {
    if (this.attempts.size === 0) return;
    const attempts = this.leftToUs();
    const sentAt = this.clock.elapsed();
    const renewal = attempts.length === 0 ? nothingToTell : await this.renewNow(attempts);
    // What is answered after the end concerns nobody, and must set no timer.
    if (this.isStopped) return;
    if (this.failedSince !== undefined) this.recovered('leases are renewed again');
    this.renewed(attempts, renewal, sentAt + this.leaseMs);
    this.lose(renewal.lost);
    for (const ref of renewal.cancelled) this.cancel(ref.queue, ref.id);
  }

  /**
   * Those whose part of the store gave no answer keep the end they had, and are told in time; the others go on. A renewal
   * that was given up says nothing of what it did not ask for, and its answer may leave as little as there was before.
   */
  private renewed(
    attempts: readonly Attempt[],
    { lost, unanswered = [] }: Renewal,
    leaseEndsAt: number,
  ): void {
    const unknown = attemptsOf(this.attempts, unanswered);
    const silent = new Set([...unknown].filter(({ isInHand }) => !isInHand));
    const gone = attemptsOf(attempts, lost);
    for (const attempt of attempts)
      if (!silent.has(attempt)) attempt.prolong(leaseEndsAt, !unknown.has(attempt) && !gone.has(attempt));
    const isLasting = leaseEndsAt - this.leaseMs / 3 > this.clock.elapsed();
    this.unrenewed.change(silent, isLasting ? attempts : []);
    if (silent.size > 0 && !this.isSilentInPart)
      this.report(`the leases of ${silent.size} tasks cannot be renewed, trying again`);
    this.isSilentInPart = silent.size > 0;
  }

  private renewNow(attempts: readonly Attempt[]): Promise<Renewal> {
    const leases = attempts.map(({ claimed: { queue, id, epoch } }) => ({ queue, id, epoch }));
    return this.backend.tasks.renew(leases, this.leaseMs);
  }

  /** What is left to us: everything, or what a guard ought to have renewed by now. */
  private leftToUs(): Attempt[] {
    if (!this.guard) return [...this.attempts];
    const soon = this.clock.elapsed() + this.leaseMs / 2;
    const left = [...this.attempts].filter((attempt) => !attempt.isLost && this.endOf(attempt) < soon);
    this.unrenewed.keepOnly(left);
    return left;
  }

  /** When an attempt's lease ends: later than we knew, where the guard has renewed it. */
  endOf(attempt: Attempt): number {
    const { guard, row } = attempt.guarded ?? {};
    if (guard) attempt.prolong(this.clock.elapsed() - guard.renewedAgoMs(row!) + this.leaseMs, true);
    return attempt.leaseEndsAt;
  }

  private recovered(how: string): void {
    this.failedSince = undefined;
    this.report(how);
  }

  /** How long to wait for an answer: not so long that a signal would abort only after its lease. */
  private get patienceMs(): number {
    // Those that wait for a silent part of the store have a timer of their own.
    const earliest = earliestEnd(this.attempts, this.unrenewed);
    return Math.max(Math.min(this.leaseMs / 4, earliest - this.marginMs - this.clock.elapsed()), 0);
  }

  /** Whether so little is left that another runner may soon begin; timers, in whole milliseconds, may fire a moment early. */
  isEnding(attempt: Attempt): boolean {
    const latest = this.clock.elapsed() + this.marginMs + 1;
    return attempt.leaseEndsAt <= latest && this.endOf(attempt) <= latest;
  }

  private abortEnding(): void {
    for (const attempt of this.attempts)
      if (this.isEnding(attempt))
        attempt.abort(new LeaseLostError(`task ${attempt.claimed.id}: its lease could not be renewed`));
  }

  private lose(lost: readonly Lease[]): void {
    for (const attempt of attemptsOf(this.attempts, lost)) {
      this.endOf(attempt);
      if (loseLease(attempt, this.clock.elapsed())) this.unwatch(attempt);
    }
  }
}

const nothingToTell: Renewal = { lost: [], cancelled: [] };
