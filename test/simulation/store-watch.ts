import type { Backend } from '../../lib/backend/backend.js';
import type { MemoryQueue } from '../../lib/backend/memory/memory-queue.js';
import type { MemoryQueues } from '../../lib/backend/memory/memory-queues.js';
import type { MemoryTask } from '../../lib/backend/memory/memory-task.js';
import type { Settled, Settlement } from '../../lib/task/outcome.js';
import type { NewTask, TaskState } from '../../lib/task/task-record.js';
import type { History } from './history.js';
import type { World } from './world.js';

/** What was last seen of a task. */
interface Known {
  readonly task: MemoryTask;
  readonly given: NewTask;
  readonly state: TaskState;
  readonly epoch: number;
  readonly attempt: number;
  readonly failures: number;
  readonly leaseEndsAt: number;
}

/** A step of the store, and whose call it was. */
export interface Step {
  readonly process: string;
  readonly what: string;
  /** Who asked for it no longer waits for the answer. */
  readonly isGivenUp?: boolean;
  /** Not known where one call is made in several. */
  readonly sentAt?: number;
  readonly settlements?: readonly Settlement[];
  readonly answers?: readonly Settled[];
}

/** Looks into the memory store after each of its steps, and writes down what has changed. */
export class StoreWatch {
  private readonly queues: MemoryQueues;
  private readonly known: ReadonlyMap<string, Map<string, Known>>;
  private readonly lockedBefore = new Set<string>();

  constructor(
    backend: Backend,
    private readonly names: readonly string[],
    private readonly history: History,
    private readonly world: World,
  ) {
    this.known = new Map(names.map((name) => [name, new Map<string, Known>()]));
    this.queues = (backend.catalog as unknown as { store: MemoryQueues }).store;
  }

  /** Tasks that are not at their end. */
  get unfinished(): number {
    const isUnfinished = ({ state }: Known) => ['scheduled', 'waiting', 'pending', 'parked'].includes(state);
    return this.tasks().filter(isUnfinished).length;
  }

  tasks(): Known[] {
    return Array.from(this.known.values()).flatMap((known) => Array.from(known.values()));
  }

  observe(step: Step): void {
    for (const name of this.names) {
      const queue = this.queues.look(name);
      const changed = this.changedIn(queue);
      const vanished = Array.from(this.known.get(name)!.values()).filter(
        ({ given: { id } }) => !queue.tasks.has(id),
      );
      if (changed.length === 0 && vanished.length === 0) continue;
      for (const before of vanished) this.vanished(before, step);
      for (const task of changed) this.leave(task, step);
      // A claim takes the best first, each with the next epoch.
      const claimed = changed.filter((task) => this.isClaimed(task));
      claimed.sort((one, other) => one.epoch - other.epoch);
      for (const task of claimed) this.claimed(task, step);
      for (const task of changed) this.known.get(name)!.set(task.id, knownOf(task));
      this.locks(queue);
    }
  }

  /** Where each task stands, as its lines have it. */
  list(): void {
    for (const name of this.names)
      for (const [state, line] of Object.entries(this.queues.look(name).lines))
        for (const { id } of line.read(Infinity))
          this.history.add({
            type: 'listed',
            queue: name,
            id: this.history.nameOf(id),
            state: state as TaskState,
          });
  }

  private changedIn(queue: MemoryQueue): MemoryTask[] {
    const changed: MemoryTask[] = [];
    const known = this.known.get(queue.name)!;
    for (const task of queue.tasks.values()) {
      const before = known.get(task.id);
      const isSame =
        before?.task === task &&
        before.given === task.given &&
        before.state === task.state &&
        before.epoch === task.epoch &&
        before.attempt === task.attempt &&
        before.failures === task.failures &&
        before.leaseEndsAt === task.leaseEndsAt;
      if (!isSame) changed.push(task);
    }
    return changed;
  }

  private before({ given }: MemoryTask): Known | undefined {
    return this.known.get(given.queue)!.get(given.id);
  }

  private isClaimed(task: MemoryTask): boolean {
    const before = this.before(task);
    return task.state === 'pending' && before?.epoch !== task.epoch;
  }

  /** What became of a task before it was claimed, if it was. */
  private leave(task: MemoryTask, step: Step): void {
    const before = this.before(task);
    const ref = this.refOf(task.given);
    const isAnew = before?.task !== task || before.given !== task.given || step.what === 'retry';
    if (isAnew) return this.stored(task);
    const isClaimed = this.isClaimed(task);
    const state = isClaimed ? 'waiting' : task.state;
    if (before.state === 'pending' && (isClaimed || task.state !== 'pending'))
      return this.leavePending(before, task, state, step);
    const settled = this.settlementOf(task.given, step);
    if (settled) return this.settled(settled, state, step);
    if (task.state === 'pending' && !isClaimed)
      return this.history.add({ type: 'renewed', ...ref, process: step.process, epoch: task.epoch });
    // Straight from parked it does not stand in the line.
    if (before.state !== state && !(isClaimed && before.state === 'parked'))
      this.history.add({ type: 'moved', ...ref, state });
  }

  private leavePending(before: Known, task: MemoryTask, state: TaskState, step: Step): void {
    const ref = this.refOf(task.given);
    const settled = this.settlementOf(task.given, step);
    if (settled) return this.settled(settled, state, step);
    const { epoch } = before;
    const isCounted = task.failures > before.failures || task.lostEpoch === epoch;
    if (isCounted) {
      this.history.add({ type: 'lease-ended', ...ref, epoch });
      this.history.add({ type: 'moved', ...ref, state });
    } else {
      const { process, isGivenUp: isLate } = step;
      this.history.add({ type: 'taken-back', ...ref, process, epoch, state, isLate });
    }
  }

  private vanished(before: Known, step: Step): void {
    this.known.get(before.given.queue)!.delete(before.given.id);
    const settled = this.settlementOf(before.given, step);
    if (settled) this.settled(settled, 'gone', step);
    else this.history.add({ type: 'moved', ...this.refOf(before.given), state: 'gone' });
  }

  private settlementOf({ queue, id }: NewTask, { settlements = [], answers }: Step): Settlement | undefined {
    return settlements.find((one, at) => one.queue === queue && one.id === id && isStored(answers![at]));
  }

  private settled(
    { epoch, outcome, queue, id }: Settlement,
    state: TaskState | 'gone',
    { process }: Step,
  ): void {
    const ref = { queue, id: this.history.nameOf(id) };
    this.history.add({ type: 'settled', ...ref, process, epoch, outcome: outcome.type, state });
  }

  private stored(task: MemoryTask): void {
    const { given } = task;
    const { lock } = given;
    this.history.add({
      type: 'stored',
      ...this.refOf(given),
      state: task.dueAt > this.world.now ? 'scheduled' : 'waiting',
      priority: task.priority,
      retries: given.retries,
      lock: lock && { key: lock.key.slice(0, 8), phase: lock.phase },
      schedule: given.scheduleId,
      slot: given.slot,
    });
  }

  private claimed(task: MemoryTask, { process, sentAt }: Step): void {
    const { epoch, attempt, priority } = task;
    const before = this.before(task);
    const ref = this.refOf(task.given);
    const isUnparked = before?.state === 'parked' || undefined;
    const conflictsWith = task.isInConflict ? 'another' : undefined;
    this.history.add({
      type: 'claimed',
      ...ref,
      process,
      epoch,
      attempt,
      priority,
      conflictsWith,
      isUnparked,
      sentAt: sentAt === undefined ? undefined : this.history.timeOf(sentAt),
    });
  }

  private locks(queue: MemoryQueue): void {
    const held = queue.locks.keys().flatMap((key) => {
      const holder = queue.locks.holderOf(key, Math.floor(this.world.now));
      return holder ? [{ key: key.slice(0, 8), holder: this.history.nameOf(holder.id) }] : [];
    });
    if (held.length === 0 && !this.lockedBefore.has(queue.name)) return;
    if (held.length > 0) this.lockedBefore.add(queue.name);
    else this.lockedBefore.delete(queue.name);
    this.history.add({ type: 'locks', queue: queue.name, held });
  }

  private refOf({ queue, id }: NewTask) {
    return { queue, id: this.history.nameOf(id) };
  }
}

function knownOf(task: MemoryTask): Known {
  const { given, state, epoch, attempt, failures, leaseEndsAt } = task;
  return { task, given, state, epoch, attempt, failures, leaseEndsAt };
}

function isStored(answer: Settled | undefined): boolean {
  return answer === 'settled' || answer === 'cancelled';
}
