import type {
  BackendSettings,
  Bell,
  ClaimedTask,
  JobFingerprint,
  RecoveredRun,
  Unparked,
} from '../backend.js';
import type { NewTask, ParkReason, TaskState } from '../../task/task-record.js';
import { each, memoryLines, movesPerCall } from './memory-lines.js';
import { MemoryLocks } from './memory-locks.js';
import { leaseLost, recoveredOf, type LostRun } from './memory-lost-run.js';
import { MemoryParked } from './memory-parked.js';
import { MemoryTask } from './memory-task.js';

/** One queue: each task stands in the line of its state and in no other. */
export class MemoryQueue {
  readonly tasks = new Map<string, MemoryTask>();
  readonly lines = memoryLines();
  readonly locks = new MemoryLocks();
  /** Infinity: until resumed. */
  pausedUntil = 0;
  hasHeldSchedules = false;
  private readonly parked = new MemoryParked();
  private arrivals = 0;
  /** How many more expired tasks this claim may put away. */
  private expiriesLeft = movesPerCall;
  private epoch = 0;
  /** Of the claim that is under way. */
  private recovered: RecoveredRun[] | undefined;

  constructor(
    readonly name: string,
    private readonly store: {
      readonly settings: BackendSettings;
      readonly bell: Bell;
      /** For whoever counts runs. */
      readonly lost: LostRun[];
    },
  ) {}

  get hasHeldTasks(): boolean {
    return this.arrivals > 0;
  }

  /** A task that is still there: one past its retention is not. */
  get(id: string, now: number): MemoryTask | undefined {
    const task = this.tasks.get(id);
    if (task?.removeAt === undefined || task.removeAt > now) return task;
    this.remove(task);
    return undefined;
  }

  insert(task: NewTask, now: number): MemoryTask {
    const stored = new MemoryTask(task, ++this.arrivals, now);
    this.tasks.set(stored.id, stored);
    this.enter(stored, stored.dueAt > now ? 'scheduled' : 'waiting');
    this.ring();
    return stored;
  }

  /** Starts a task anew under its id; the arrival number stays. */
  restart(task: MemoryTask, now: number, description?: NewTask): void {
    this.leave(task);
    this.locks.free(task);
    if (description) {
      task.describe(description, now);
      task.errors = undefined;
    } else {
      task.dueAt = now;
      // Whoever starts it anew wants it to run, however late that is.
      task.expiresAt = undefined;
    }
    task.startAnew();
    this.enter(task, task.dueAt > now ? 'scheduled' : 'waiting');
    this.ring();
  }

  remove(task: MemoryTask): void {
    this.leave(task);
    this.locks.free(task);
    this.tasks.delete(task.id);
  }

  /** Moves a task's due time; it stands in the line that this calls for. */
  postpone(task: MemoryTask, delayMs: number, now: number): void {
    this.leave(task);
    task.runner = undefined;
    task.dueAt = now + delayMs;
    this.enter(task, delayMs > 0 ? 'scheduled' : 'waiting');
    this.ring();
  }

  move(task: MemoryTask, state: TaskState): void {
    this.leave(task);
    task.runner = undefined;
    this.enter(task, state);
  }

  park(task: MemoryTask, reason: ParkReason, fingerprint?: string): void {
    this.move(task, 'parked');
    task.reason = reason;
    this.parked.add(task, fingerprint);
    this.ring();
  }

  /** Puts back what other definitions have parked. */
  unpark(definitions: readonly JobFingerprint[], after?: string): Unparked {
    const until = after === undefined ? this.parked.latest : Number(after);
    let count = 0;
    for (const task of this.parked.byOthers(definitions, until)) {
      if (count === movesPerCall) return { count, after: String(until) };
      if (count++ === 0) this.ring();
      task.reason = undefined;
      this.move(task, 'waiting');
    }
    return { count };
  }

  /** Ends a task: it stays for `keepMs`, then vanishes. */
  finish(
    task: MemoryTask,
    state: 'succeeded' | 'dead' | 'cancelled',
    keepMs: number,
    now: number,
    reason?: string,
  ): void {
    if (keepMs <= 0) return this.remove(task);
    this.leave(task);
    this.locks.free(task);
    task.reason = reason;
    task.finishedAt = now;
    task.removeAt = now + keepMs;
    this.enter(task, state);
  }

  cancel(task: MemoryTask, reason: string, now: number, keepMs = this.store.settings.cancelledKeepMs): void {
    this.finish(task, 'cancelled', keepMs, now, reason);
  }

  /** Forgets finished tasks whose time is over. */
  purge(now: number, most = movesPerCall): void {
    for (const state of ['succeeded', 'dead', 'cancelled'] as const)
      each(this.lines[state], (task) => task.removeAt! <= now && this.remove(task), most);
  }

  /** What time alone has brought about: retention, lost leases, due tasks. Answers the runs that were lost, if any. */
  catchUp(now: number): readonly RecoveredRun[] | undefined {
    this.expiriesLeft = movesPerCall;
    this.recovered = undefined;
    this.purge(now);
    each(this.lines.pending, (task) => task.leaseEndsAt <= now && this.recover(task, now));
    each(this.lines.scheduled, (task) => task.dueAt <= now && this.move(task, 'waiting'));
    return this.recovered;
  }

  /** Takes the next task, or nothing. */
  claim(now: number, leaseMs: number, runner: string): ClaimedTask | undefined {
    for (let task; (task = this.lines.waiting.peek()) && this.expiriesLeft > 0;) {
      const isExpired = !task.hasStarted && task.expiresAt !== undefined && task.expiresAt <= now;
      if (!isExpired) return this.lease(task, now, leaseMs, runner);
      this.cancel(task, 'expired', now);
      this.expiriesLeft--;
    }
    return undefined;
  }

  /** Takes a task that was parked because nobody knew its job. */
  claimUnknown(
    jobs: readonly string[],
    now: number,
    leaseMs: number,
    runner: string,
  ): ClaimedTask | undefined {
    const task = this.parked.firstUnknown(jobs);
    return task && this.lease(task, now, leaseMs, runner);
  }

  /** Milliseconds until a claim may find something. */
  nextInMs(now: number, declares: readonly string[]): number {
    if (this.pausedUntil > now) return this.pausedUntil - now;
    if (this.lines.waiting.size > 0 || this.parked.firstUnknown(declares)) return 0;
    const due = this.lines.scheduled.peek()?.dueAt ?? Infinity;
    const lost = this.lines.pending.peek()?.leaseEndsAt ?? Infinity;
    return Math.max(Math.min(due, lost) - now, 0);
  }

  private lease(task: MemoryTask, now: number, leaseMs: number, runner: string): ClaimedTask {
    this.leave(task);
    const conflictsWith = this.locks.claimed(task, now);
    task.begin(conflictsWith);
    task.reason = undefined;
    task.runner = runner;
    task.epoch = this.epoch = Math.max(this.epoch + 1, now * 1_000);
    task.lostEpoch = 0;
    task.startedAt = now;
    task.leaseEndsAt = now + leaseMs;
    this.enter(task, 'pending');
    return task.claimed(conflictsWith);
  }

  renew(task: MemoryTask, leaseEndsAt: number): void {
    this.leave(task);
    task.leaseEndsAt = leaseEndsAt;
    this.enter(task, 'pending');
  }

  /** A lease that ended without an outcome: its process died, or was cut off. */
  private recover(task: MemoryTask, now: number): void {
    task.lostEpoch = task.epoch;
    task.epoch = 0;
    if (task.cancelRequested) {
      this.lose({ task, outcome: 'cancelled', at: now });
      return this.cancel(task, 'cancelled', now);
    }
    if (task.lock?.phase === 'while_executing') this.locks.free(task);
    if (task.isInConflict) {
      // It never ran: as when it is handed back.
      task.attempt--;
      return this.move(task, 'waiting');
    }
    task.failures++;
    const error = leaseLost(task);
    task.addError(error, now);
    const isDead = task.attempt > task.given.retries;
    this.lose({ task, outcome: isDead ? 'dead' : 'lost', error, at: now });
    if (isDead) this.finish(task, 'dead', this.store.settings.deadKeepMs, now);
    else this.move(task, 'waiting');
  }

  private lose(run: LostRun): void {
    this.store.lost.push(run);
    (this.recovered ??= []).push(recoveredOf(run));
  }

  private enter(task: MemoryTask, state: TaskState): void {
    task.state = state;
    this.lines[state].add(task);
  }

  /** There is something to do, or a moment at which there will be: who sleeps must hear of it. */
  ring(): void {
    this.store.bell.ring(this.name);
  }

  private leave(task: MemoryTask): void {
    this.lines[task.state].remove(task);
    if (task.state === 'parked') this.parked.delete(task);
  }
}
