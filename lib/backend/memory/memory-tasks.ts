import type { Clock } from '../../task/clock.js';
import type { Lease, Settled, Settlement } from '../../task/outcome.js';
import type { NewTask } from '../../task/task-record.js';
import type {
  Added,
  Claim,
  ClaimedTask,
  ClaimRequest,
  JobFingerprint,
  Renewal,
  TaskStore,
  Unparked,
} from '../backend.js';
import { locksAtEnqueue } from './memory-locks.js';
import { handBackAllBut, settle } from './memory-outcomes.js';
import type { MemoryQueue } from './memory-queue.js';
import type { MemoryTask } from './memory-task.js';
import type { MemoryQueues } from './memory-queues.js';

/** The hot path in memory. No method awaits anything in between, so each is one step. */
export class MemoryTasks implements TaskStore {
  private turn = 0;

  constructor(
    private readonly queues: MemoryQueues,
    private readonly clock: Clock,
  ) {}

  async add(groups: readonly (readonly NewTask[])[]): Promise<Added[][]> {
    const now = this.clock.now();
    return groups.map((group) => this.addGroup(group, now));
  }

  async claim({ queues, limit, leaseMs, runner, declares, holding }: ClaimRequest): Promise<Claim> {
    const now = this.clock.now();
    const asked = queues.map(({ queue, limit }) => ({ queue: this.queues.get(queue), free: limit }));
    for (const { queue } of asked) {
      if (holding) handBackAllBut(queue, holding, runner, now);
      queue.catchUp(now);
    }

    const tasks: ClaimedTask[] = [];
    const take = (queue: MemoryQueue) =>
      (declares && queue.claimUnknown(declares, now, leaseMs, runner)) ?? queue.claim(now, leaseMs, runner);
    let open = rotate(asked, this.turn++).filter(({ queue }) => queue.pausedUntil <= now);
    while (tasks.length < limit && open.length > 0) {
      open = open.filter((line) => {
        if (tasks.length >= limit) return true;
        const task = line.free > 0 ? take(line.queue) : undefined;
        if (task) tasks.push(task);
        line.free--;
        return task !== undefined;
      });
    }
    return {
      tasks,
      nextInMs: asked.map(({ queue }) => queue.nextInMs(now, declares ?? [])),
    };
  }

  async settle(settlements: readonly Settlement[]): Promise<Settled[]> {
    const now = this.clock.now();
    return settlements.map((settlement) => settle(this.queues.look(settlement.queue), settlement, now));
  }

  async renew(leases: readonly Lease[], leaseMs: number): Promise<Renewal> {
    const now = this.clock.now();
    const renewal: Renewal = { lost: [], cancelled: [] };
    for (const lease of leases) {
      const { queue: name, id, epoch } = lease;
      const queue = this.queues.look(name);
      const task = queue.tasks.get(id);
      if (task?.state !== 'pending' || task.epoch !== epoch) {
        renewal.lost.push(lease);
        continue;
      }
      task.leaseEndsAt = now + leaseMs;
      queue.lines.pending.moved(task);
      if (task.cancelRequested) renewal.cancelled.push(lease);
    }
    return renewal;
  }

  async unpark(queue: string, definitions: readonly JobFingerprint[], after?: string): Promise<Unparked> {
    return this.queues.look(queue).unpark(definitions, after);
  }

  /** All or none: what could stop the group is found before anything is written. */
  addGroup(group: readonly NewTask[], now: number): Added[] {
    const raised = this.findRaised(group, now);
    if (!raised) return group.map((task) => this.addOne(task, now));
    return group.map((task) =>
      task === raised.task ? { status: 'raised', holder: raised.holder } : { status: 'dropped' },
    );
  }

  /** The answer to a task whose lock another than `besides` holds and keeps. */
  lockedOut(task: NewTask, besides: MemoryTask, now: number): Added | undefined {
    if (!locksAtEnqueue(task)) return undefined;
    const holder = this.queues.get(task.queue).locks.holderOf(task.lock!.key, now);
    if (!holder || holder === besides || givesWay(holder, task)) return undefined;
    return { status: task.lock!.onConflict === 'raise' ? 'raised' : 'rejected', holder: holder.id };
  }

  private addOne(task: NewTask, now: number): Added {
    const queue = this.queues.get(task.queue);
    const existing = queue.get(task.id, now);
    const answer = existing && this.answerOf(existing, task);
    if (answer) return answer;
    if (locksAtEnqueue(task)) {
      const holder = queue.locks.holderOf(task.lock!.key, now);
      if (holder && holder !== existing) return this.conflict(queue, holder, task, now);
    }
    const stored = task.replace ? existing : undefined;
    if (stored) queue.restart(stored, now, task);
    else if (existing) queue.remove(existing);
    const added = stored ?? queue.insert(task, now);
    if (locksAtEnqueue(added)) queue.locks.take(added, now);
    return { status: stored ? 'replaced' : 'enqueued' };
  }

  /** Where the id alone settles the matter. */
  private answerOf(existing: MemoryTask, task: NewTask): Added | undefined {
    if (existing.given.token === task.token) return { status: 'enqueued' };
    const isFree = existing.state === 'dead' || existing.state === 'cancelled';
    const staysAsItIs = existing.state === 'pending' || (!isFree && !task.replace);
    return staysAsItIs ? { status: 'existing' } : undefined;
  }

  /** A lock that another task holds: the newest params win only where that one gives way. */
  private conflict(queue: MemoryQueue, holder: MemoryTask, task: NewTask, now: number): Added {
    if (!givesWay(holder, task)) return { status: 'rejected', holder: holder.id };
    // The holder stays the one that its own enqueue has stored: a repeat of that must know it again.
    queue.restart(holder, now, { ...task, token: holder.given.token });
    queue.locks.take(holder, now);
    return { status: 'replaced', holder: holder.id };
  }

  /** Goes through a group as `addOne` would, without writing, to the first conflict that raises. */
  private findRaised(group: readonly NewTask[], now: number): { task: NewTask; holder: string } | undefined {
    if (!group.some((task) => task.lock?.onConflict === 'raise')) return undefined;
    const ids = new Set<string>();
    const holders = new Map<string, string>();
    for (const task of group) {
      const queue = this.queues.get(task.queue);
      const existing = queue.get(task.id, now);
      const idKey = `${task.queue}\n${task.id}`;
      if ((existing && this.answerOf(existing, task)) || (ids.has(idKey) && !task.replace)) continue;
      ids.add(idKey);
      if (!locksAtEnqueue(task)) continue;
      const lockKey = `${task.queue}\n${task.lock!.key}`;
      const stored = queue.locks.holderOf(task.lock!.key, now);
      const holder = holders.get(lockKey) ?? (stored === existing ? undefined : stored?.id);
      if (holder === undefined || holder === task.id) holders.set(lockKey, task.id);
      else if (task.lock!.onConflict === 'raise') return { task, holder };
    }
    return undefined;
  }
}

/** Whether the holder of a lock takes over what a new task says: where it has not started, or is parked. */
function givesWay(holder: MemoryTask, { lock }: NewTask): boolean {
  return lock!.onConflict === 'replace' && (!holder.hasStarted || holder.state === 'parked');
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = items.length > 0 ? by % items.length : 0;
  return [...items.slice(start), ...items.slice(0, start)];
}
