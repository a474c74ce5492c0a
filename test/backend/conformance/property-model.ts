import type { Added, Acted, BackendSettings } from '../../../lib/backend/backend.js';
import type { Lease, Outcome, Settled } from '../../../lib/task/outcome.js';
import type { NewTask, TaskLock, TaskState } from '../../../lib/task/task-record.js';

export interface ModelTask {
  readonly id: string;
  readonly token: string;
  readonly priority: number;
  readonly arrival: number;
  readonly retries: number;
  readonly lock?: TaskLock;
  state: TaskState;
  dueAt: number;
  attempt: number;
  failures: number;
  /** The latest claim's, unless its lease was lost. */
  epoch?: number;
  /** Of a claim whose lease was lost, until the next one. */
  lostEpoch?: number;
  /** Started anew under its id and not claimed since. */
  isAnew: boolean;
  leaseEndsAt: number;
  isAskedToStop: boolean;
  vanishesAt: number;
  holdsLock: boolean;
  /** The definition that parked it. */
  parkedBy?: string;
}

/** One queue of a backend, in the plainest words: a list that is searched and sorted at each step. */
export class Model {
  now = 0;
  pausedUntil = 0;
  /** Those past their time stay until a claim, as in a store that cleans lazily; nothing else sees them. */
  records: ModelTask[] = [];
  private arrivals = 0;
  private beganAt: number | undefined;

  constructor(private readonly settings: BackendSettings) {}

  /** A real clock goes on while a run takes its time. */
  follow(storeNow: number): void {
    this.beganAt ??= storeNow - 1;
    this.now = storeNow - this.beganAt;
  }

  get tasks(): ModelTask[] {
    return this.records.filter(({ vanishesAt }) => vanishesAt > this.now);
  }

  get isPaused(): boolean {
    return this.pausedUntil > this.now;
  }

  isDue = (task: ModelTask) => task.state === 'scheduled' && task.dueAt <= this.now;
  isLost = (task: ModelTask) => task.state === 'pending' && task.leaseEndsAt <= this.now;

  find(id: string): ModelTask | undefined {
    return this.tasks.find((task) => task.id === id);
  }

  add(task: NewTask): Added {
    const found = this.find(task.id);
    if (found?.token === task.token) return { status: 'enqueued' };
    if (found?.state === 'pending') return { status: 'existing' };
    if (found && !task.replace && found.state !== 'dead' && found.state !== 'cancelled')
      return { status: 'existing' };
    const holder = this.holderOf(task.lock);
    if (holder && task.lock!.phase !== 'while_executing') return { status: 'rejected', holder: holder.id };

    const dueAt = this.now + ('inMs' in task.due ? task.due.inMs : NaN);
    this.records = this.records.filter(({ id }) => id !== task.id);
    this.records.push({
      ...{ id: task.id, token: task.token, priority: task.priority, retries: task.retries, lock: task.lock },
      ...{ arrival: ++this.arrivals, dueAt, state: dueAt > this.now ? 'scheduled' : 'waiting' },
      ...{ attempt: 0, failures: 0, leaseEndsAt: 0, isAskedToStop: false, vanishesAt: Infinity },
      isAnew: found !== undefined,
      holdsLock: task.lock !== undefined && task.lock.phase !== 'while_executing',
    });
    return { status: found && task.replace ? 'replaced' : 'enqueued' };
  }

  claim(limit: number, leaseMs: number): { task: ModelTask; conflictsWith?: string }[] {
    if (this.isPaused) return [];
    this.records = this.tasks;
    for (const task of this.records.filter(this.isLost)) this.recover(task);
    for (const task of this.records.filter(this.isDue)) task.state = 'waiting';
    return this.records
      .filter(({ state }) => state === 'waiting')
      .sort((a, b) => a.priority - b.priority || a.dueAt - b.dueAt || a.arrival - b.arrival)
      .slice(0, limit)
      .map((task) => {
        task.state = 'pending';
        task.isAnew = false;
        task.lostEpoch = undefined;
        task.attempt++;
        task.leaseEndsAt = this.now + leaseMs;
        return { task, conflictsWith: this.lockAtClaim(task) };
      });
  }

  nextInMs(): number {
    if (this.isPaused) return this.pausedUntil - this.now;
    if (this.tasks.some(({ state }) => state === 'waiting')) return 0;
    const dueTimes = this.tasks.filter(({ state }) => state === 'scheduled').map(({ dueAt }) => dueAt);
    const leaseEnds = this.tasks
      .filter(({ state }) => state === 'pending')
      .map(({ leaseEndsAt }) => leaseEndsAt);
    return Math.min(...dueTimes, ...leaseEnds) - this.now;
  }

  settle({ id, epoch }: Lease, outcome: Outcome, repeat: boolean): Settled {
    const task = this.find(id);
    if (!task) return repeat ? 'settled' : 'lost';
    if (task.epoch !== epoch) return this.settleLate(task, epoch, outcome);
    if (task.state !== 'pending') return repeat ? 'settled' : 'lost';
    if (task.isAskedToStop && outcome.type !== 'succeeded')
      this.end(task, 'cancelled', this.settings.cancelledKeepMs);
    else this.apply(task, outcome);
    return 'settled';
  }

  renew({ id, epoch }: Lease, leaseMs: number): 'lost' | 'cancelled' | 'renewed' {
    const task = this.find(id);
    if (task?.state !== 'pending' || task.epoch !== epoch) return 'lost';
    task.leaseEndsAt = this.now + leaseMs;
    return task.isAskedToStop ? 'cancelled' : 'renewed';
  }

  cancel(id: string): Acted | 'requested' {
    const task = this.find(id);
    if (!task) return 'missing';
    if (task.state === 'pending') {
      task.isAskedToStop = true;
      return 'requested';
    }
    if (task.state !== 'scheduled' && task.state !== 'waiting' && task.state !== 'parked') return 'left';
    this.end(task, 'cancelled', this.settings.cancelledKeepMs);
    return 'done';
  }

  retry(id: string): Acted {
    const task = this.find(id);
    if (!task) return 'missing';
    if (task.state !== 'dead' && task.state !== 'cancelled' && task.state !== 'parked') return 'left';
    const isLockedFromEnqueue = task.lock !== undefined && task.lock.phase !== 'while_executing';
    const holder = this.holderOf(task.lock);
    if (isLockedFromEnqueue && holder && holder !== task) return 'taken';
    const anew = {
      state: 'waiting',
      dueAt: this.now,
      attempt: 0,
      failures: 0,
      vanishesAt: Infinity,
    } as const;
    Object.assign(task, anew, {
      isAnew: true,
      lostEpoch: undefined,
      isAskedToStop: false,
      holdsLock: isLockedFromEnqueue,
    });
    return 'done';
  }

  remove(id: string): Acted {
    const task = this.find(id);
    if (!task) return 'missing';
    if (task.state === 'pending') return 'left';
    this.records = this.records.filter((other) => other !== task);
    return 'done';
  }

  runNow(id: string): Acted {
    const task = this.find(id);
    if (!task) return 'missing';
    if (task.state !== 'scheduled') return 'left';
    task.state = 'waiting';
    task.dueAt = this.now;
    return 'done';
  }

  unpark(fingerprint: string): number {
    const others = this.tasks.filter(
      ({ state, parkedBy }) => state === 'parked' && parkedBy !== undefined && parkedBy !== fingerprint,
    );
    for (const task of others) task.state = 'waiting';
    return others.length;
  }

  private apply(task: ModelTask, outcome: Outcome): void {
    if (task.lock?.phase === 'while_executing') task.holdsLock = false;
    if (task.lock?.phase === 'until_executed' && outcome.type === 'retry') task.holdsLock = false;
    if (outcome.type === 'retry' || outcome.type === 'dead') task.failures++;
    else if (outcome.type !== 'succeeded' && outcome.type !== 'cancelled') task.attempt--;

    if (outcome.type === 'handed-back') task.state = 'waiting';
    else if (outcome.type === 'parked')
      Object.assign(task, { state: 'parked', parkedBy: outcome.fingerprint });
    else if ('keepMs' in outcome) this.end(task, outcome.type, outcome.keepMs);
    else {
      task.dueAt = this.now + outcome.delayMs;
      task.state = outcome.delayMs > 0 ? 'scheduled' : 'waiting';
    }
  }

  private settleLate(task: ModelTask, epoch: number, outcome: Outcome): Settled {
    const isUnclaimed = task.lostEpoch === epoch && (task.state === 'waiting' || task.state === 'dead');
    if (!isUnclaimed || outcome.type !== 'succeeded') return 'lost';
    task.epoch = epoch;
    this.end(task, 'succeeded', outcome.keepMs);
    return 'settled';
  }

  private recover(task: ModelTask): void {
    task.failures++;
    task.lostEpoch = task.epoch;
    task.epoch = undefined;
    if (task.lock?.phase === 'while_executing') task.holdsLock = false;
    if (task.isAskedToStop) this.end(task, 'cancelled', this.settings.cancelledKeepMs);
    else if (task.attempt > task.retries) this.end(task, 'dead', this.settings.deadKeepMs);
    else task.state = 'waiting';
  }

  private end(task: ModelTask, state: 'succeeded' | 'dead' | 'cancelled', keepMs: number): void {
    task.state = state;
    task.holdsLock = false;
    task.vanishesAt = this.now + keepMs;
    if (keepMs === 0) this.records = this.records.filter((other) => other !== task);
  }

  private holderOf(lock: TaskLock | undefined): ModelTask | undefined {
    return lock && this.tasks.find((task) => task.holdsLock && task.lock?.key === lock.key);
  }

  private lockAtClaim(task: ModelTask): string | undefined {
    const holder = this.holderOf(task.lock);
    if (task.lock?.phase === 'until_executing') task.holdsLock = false;
    else if (task.lock && !holder) task.holdsLock = true;
    return task.lock?.phase === 'while_executing' && holder ? holder.id : undefined;
  }
}
