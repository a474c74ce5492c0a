import type { Clock } from '../../task/clock.js';
import type { Lease, Settled, Settlement } from '../../task/outcome.js';
import type { NewTask, TaskNotes } from '../../task/task-record.js';
import type {
  Added,
  Claim,
  ClaimedTask,
  ClaimRequest,
  JobFingerprint,
  RecoveredRun,
  Renewal,
  TaskStore,
  Unparked,
} from '../backend.js';
import { MemoryDryRun } from './memory-dry-run.js';
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
    let recovered: RecoveredRun[] | undefined;
    for (const { queue } of asked) {
      if (holding) handBackAllBut(queue, holding, runner, now);
      const runs = queue.catchUp(now);
      if (runs) recovered = [...(recovered ?? []), ...runs];
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
      ...(recovered && { recovered }),
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
      queue.renew(task, now + leaseMs);
      if (task.cancelRequested) renewal.cancelled.push(lease);
    }
    return renewal;
  }

  async annotate(notes: readonly (Lease & { readonly notes: TaskNotes })[]): Promise<void> {
    for (const { queue, id, epoch, notes: said } of notes) {
      const task = this.queues.look(queue).tasks.get(id);
      if (task?.state === 'pending' && task.epoch === epoch) task.note(said);
    }
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
    if (!holder || holder === besides || holder.givesWayTo(task)) return undefined;
    return { status: task.lock!.onConflict === 'raise' ? 'raised' : 'rejected', holder: holder.id };
  }

  private addOne(task: NewTask, now: number): Added {
    const queue = this.queues.get(task.queue);
    const existing = queue.get(task.id, now);
    const answer = existing?.answerTo(task);
    if (answer) return answer;
    if (locksAtEnqueue(task)) {
      const holder = queue.locks.holderOf(task.lock!.key, now);
      if (holder && holder !== existing) return this.conflict(queue, holder, task, existing, now);
    }
    const stored = task.replace ? existing : undefined;
    if (stored) queue.restart(stored, now, task);
    else if (existing) queue.remove(existing);
    const added = stored ?? queue.insert(task, now);
    if (locksAtEnqueue(added)) queue.locks.hold(added);
    return { status: stored ? 'replaced' : 'enqueued' };
  }

  /** A lock that another task holds: the newest params win where that one gives way, and it is not the one to be replaced. */
  private conflict(
    queue: MemoryQueue,
    holder: MemoryTask,
    task: NewTask,
    existing: MemoryTask | undefined,
    now: number,
  ): Added {
    if (!holder.givesWayTo(task, existing)) return { status: 'rejected', holder: holder.id };
    // The holder stays the one that its own enqueue has stored: a repeat of that must know it again.
    queue.restart(holder, now, { ...task, token: holder.given.token });
    queue.locks.take(holder, now);
    return { status: 'replaced', holder: holder.id };
  }

  /** The first conflict that raises, if there is one. */
  private findRaised(group: readonly NewTask[], now: number): { task: NewTask; holder: string } | undefined {
    if (!group.some((task) => task.lock?.onConflict === 'raise')) return undefined;
    const queues = new Map<string, MemoryDryRun>();
    for (const task of group) {
      const queue = queues.get(task.queue) ?? new MemoryDryRun(this.queues.get(task.queue), now);
      queues.set(task.queue, queue);
      const holder = queue.add(task);
      if (holder !== undefined) return { task, holder };
    }
    return undefined;
  }
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = items.length > 0 ? by % items.length : 0;
  return [...items.slice(start), ...items.slice(0, start)];
}
