import type { Added, Acted, BackendSettings } from '../../../lib/backend/backend.js';
import type { Lease, Outcome, Settled } from '../../../lib/task/outcome.js';
import type { NewTask, TaskLock, TaskState } from '../../../lib/task/task-record.js';

export interface ModelTask {
  readonly id: string;
  readonly token: string;
  priority: number;
  readonly arrival: number;
  retries: number;
  lock?: TaskLock;
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
  /** A first run has begun, even where it was given back. */
  hasStarted: boolean;
  /** The latest claim met a lock: its run did not begin. */
  isInConflict: boolean;
  /** Unless it has let its time to live pass. */
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

  /** One after the other; none of them where one raises. */
  addGroup(tasks: readonly NewTask[]): Added[] {
    const before = this.records.map((record) => ({ ...record }));
    const added: Added[] = [];
    for (const task of tasks) {
      const answer = this.add(task);
      if (answer.status === 'raised') {
        this.records = before;
        return tasks.map((other) => (other === task ? answer : { status: 'dropped' }));
      }
      added.push(answer);
    }
    return added;
  }

  add(task: NewTask): Added {
    const found = this.find(task.id);
    if (found?.token === task.token) return { status: 'enqueued' };
    if (found?.state === 'pending') return { status: 'existing' };
    if (found && !task.replace && found.state !== 'dead' && found.state !== 'cancelled')
      return { status: 'existing' };
    const isReplaced = found !== undefined && task.replace === true;
    const holder = this.holderOf(task.lock);
    if (holder && holder !== found && isFromEnqueue(task.lock))
      return this.conflict(holder, task, isReplaced);

    const { id, token, priority, retries } = task;
    const arrival = isReplaced ? found.arrival : ++this.arrivals;
    const added: ModelTask = { ...fresh, id, token, priority, retries, arrival, dueAt: 0 };
    added.isAnew = found !== undefined;
    this.records = this.records.filter((other) => other.id !== id);
    this.records.push(added);
    this.describe(added, task);
    return { status: isReplaced ? 'replaced' : 'enqueued' };
  }

  /** The newest takes the place of one that has not started, or is parked, unless it was to take that of its own id. */
  private conflict(holder: ModelTask, task: NewTask, isReplaced: boolean): Added {
    const givesWay = !isReplaced && (!holder.hasStarted || holder.state === 'parked');
    if (task.lock!.onConflict === 'raise') return { status: 'raised', holder: holder.id };
    if (task.lock!.onConflict !== 'replace' || !givesWay) return { status: 'rejected', holder: holder.id };
    Object.assign(holder, fresh, { epoch: undefined });
    this.describe(holder, task);
    return { status: 'replaced', holder: holder.id };
  }

  private describe(stored: ModelTask, { priority, retries, lock, due }: NewTask): void {
    const dueAt = this.now + ('inMs' in due ? due.inMs : NaN);
    Object.assign(stored, { priority, retries, lock, dueAt });
    stored.state = dueAt > this.now ? 'scheduled' : 'waiting';
    if (isFromEnqueue(lock)) this.take(stored);
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
        const conflictsWith = this.lockAtClaim(task);
        task.state = 'pending';
        task.isAnew = false;
        task.isInConflict = conflictsWith !== undefined;
        task.hasStarted ||= !task.isInConflict;
        task.lostEpoch = undefined;
        task.attempt++;
        task.leaseEndsAt = this.now + leaseMs;
        return { task, conflictsWith };
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

  get depth(): number {
    return this.tasks.filter((task) => task.state === 'waiting' || this.isDue(task)).length;
  }

  oldestWaitingMs(): number | undefined {
    const waiting = this.tasks.filter((task) => task.state === 'waiting' || this.isDue(task));
    return waiting.length > 0 ? this.now - Math.min(...waiting.map(({ dueAt }) => dueAt)) : undefined;
  }

  settle({ id, epoch }: Lease, outcome: Outcome, repeat: boolean): Settled {
    const task = this.find(id);
    if (!task) return repeat ? 'settled' : 'lost';
    if (task.epoch !== epoch) return this.settleLate(task, epoch, outcome);
    const isStopped = task.isAskedToStop && outcome.type !== 'succeeded';
    if (task.state !== 'pending' && !repeat) return 'lost';
    if (task.state !== 'pending') return isStopped && task.state === 'cancelled' ? 'cancelled' : 'settled';
    if (isStopped) this.end(task, 'cancelled', this.settings.cancelledKeepMs);
    else this.apply(task, outcome);
    return isStopped ? 'cancelled' : 'settled';
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
    const holder = this.holderOf(task.lock);
    if (isFromEnqueue(task.lock) && holder && holder !== task) return 'taken';
    Object.assign(task, fresh, { dueAt: this.now });
    if (isFromEnqueue(task.lock)) this.take(task);
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

  /** Keys and holders. */
  get locks(): { key: string; holder: string }[] {
    return this.tasks
      .filter((task) => this.holderOf(task.lock) === task)
      .map(({ id, lock }) => ({ key: lock!.key, holder: id }));
  }

  release(key: string): boolean {
    const lock = this.locks.find((held) => held.key === key);
    if (lock) this.find(lock.holder)!.holdsLock = false;
    return lock !== undefined;
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
    task.lostEpoch = task.epoch;
    task.epoch = undefined;
    if (task.lock?.phase === 'while_executing') task.holdsLock = false;
    if (task.isInConflict) task.attempt--;
    else task.failures++;
    if (task.isAskedToStop) this.end(task, 'cancelled', this.settings.cancelledKeepMs);
    else if (task.isInConflict) task.state = 'waiting';
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
    const holder = lock && this.tasks.find((task) => task.holdsLock && task.lock!.key === lock.key);
    if (!holder || holder.hasStarted) return holder;
    return holder.dueAt + (holder.lock!.ttlMs ?? Infinity) > this.now ? holder : undefined;
  }

  /** From one that has let it go by its time to live, if need be. */
  private take(task: ModelTask): void {
    for (const other of this.records) if (other.lock?.key === task.lock!.key) other.holdsLock = false;
    task.holdsLock = true;
  }

  private lockAtClaim(task: ModelTask): string | undefined {
    const { phase } = task.lock ?? {};
    const holder = this.holderOf(task.lock);
    const takes = phase === 'while_executing' || (phase === 'until_executed' && task.failures > 0);
    if (phase === 'until_executing') task.holdsLock = false;
    else if (takes && !holder) this.take(task);
    return phase === 'while_executing' && holder ? holder.id : undefined;
  }
}

/** Of a task that is stored, or starts anew. */
const fresh = {
  ...{ state: 'waiting' as TaskState, attempt: 0, failures: 0, isAnew: true, lostEpoch: undefined },
  ...{ leaseEndsAt: 0, isAskedToStop: false, vanishesAt: Infinity, hasStarted: false, holdsLock: false },
  isInConflict: false,
};

function isFromEnqueue(lock: TaskLock | undefined): boolean {
  return lock !== undefined && lock.phase !== 'while_executing';
}
