import type { Lease, Settled, Settlement } from '../../task/outcome.js';
import type { NewTask, TaskNotes } from '../../task/task-record.js';
import type {
  Added,
  BackendSettings,
  Claim,
  ClaimRequest,
  JobFingerprint,
  Renewal,
  TaskStore,
  Unparked,
} from '../backend.js';
import { CrossSlotError, StoreUnavailableError } from '../errors.js';
import { SharedClaim } from './redis-cluster-claim.js';
import type { RedisConnection } from './redis-connection.js';
import { RedisTasks } from './redis-tasks.js';

/**
 * The hot path on a cluster: every slot has calls of its own, sent at the same time, and one that gives no answer leaves
 * the others theirs.
 */
export class RedisClusterTasks implements TaskStore {
  private readonly slots = new Map<number, RedisTasks>();
  private turn = 0;

  constructor(
    private readonly connection: RedisConnection,
    private readonly settings: BackendSettings,
  ) {}

  partOf(queue: string): number {
    return this.connection.keys.slot(queue);
  }

  async add(groups: readonly (readonly NewTask[])[]): Promise<(Added[] | Error)[]> {
    const answers: (Added[] | Error)[] = groups.map(() => []);
    const stored: { queue: string; group: readonly NewTask[]; index: number }[] = [];
    groups.forEach((group, index) => {
      const queues = [...new Set(group.map(({ queue }) => queue))];
      if (new Set(queues.map((queue) => this.partOf(queue))).size > 1)
        answers[index] = new CrossSlotError(queues);
      else if (group.length > 0) stored.push({ queue: queues[0]!, group, index });
    });
    await this.eachSlot(stored, async (tasks, items) => {
      const added = await tasks.add(items.map(({ group }) => group));
      items.forEach(({ index }, at) => (answers[index] = added[at]!));
    });
    return answers;
  }

  claim(request: ClaimRequest): Promise<Claim> {
    return new SharedClaim(request, (queue) => this.partOf(queue), this.turn++).run((slot, part) =>
      this.at(slot).claim(part),
    );
  }

  async settle(settlements: readonly Settlement[]): Promise<Settled[]> {
    const answers: Settled[] = settlements.map(() => 'unanswered');
    const numbered = settlements.map((settlement, index) => ({ ...settlement, index }));
    await this.eachSlot(numbered, async (tasks, items) => {
      const settled = await tasks.settle(items).catch(() => undefined);
      items.forEach(({ index }, at) => (answers[index] = settled?.[at] ?? 'unanswered'));
    });
    return answers;
  }

  async renew(leases: readonly Lease[], leaseMs: number): Promise<Renewal> {
    const lost: Lease[] = [];
    const cancelled: Lease[] = [];
    const unanswered: Lease[] = [];
    await this.eachSlot(leases, async (tasks, items) => {
      // Whoever waits must hear of the others while there is time to renew once more.
      const renewal = await within(tasks.renew(items, leaseMs), leaseMs / 5).catch(() => undefined);
      if (!renewal) return void unanswered.push(...items);
      lost.push(...renewal.lost);
      cancelled.push(...renewal.cancelled);
    });
    return unanswered.length > 0 ? { lost, cancelled, unanswered } : { lost, cancelled };
  }

  async annotate(notes: readonly (Lease & { readonly notes: TaskNotes })[]): Promise<void> {
    const failed: unknown[] = [];
    let answered = 0;
    await this.eachSlot(notes, (tasks, items) =>
      tasks.annotate(items).then(
        () => void answered++,
        (error: unknown) => void failed.push(error),
      ),
    );
    if (answered === 0 && failed.length > 0) throw failed[0];
  }

  unpark(queue: string, definitions: readonly JobFingerprint[], after?: string): Promise<Unparked> {
    return this.at(this.partOf(queue)).unpark(queue, definitions, after);
  }

  /** Asks every slot for what it has of the items; all calls leave at once. */
  private async eachSlot<T extends { readonly queue: string }>(
    items: readonly T[],
    ask: (tasks: RedisTasks, items: T[]) => Promise<void>,
  ): Promise<void> {
    const parts = this.connection.sharing(items);
    await Promise.all(parts.map((some) => ask(this.at(this.partOf(some[0]!.queue)), some)));
  }

  /** Each slot has its own: what is settled and claimed in one moment travels together within a slot. */
  private at(slot: number): RedisTasks {
    let tasks = this.slots.get(slot);
    if (!tasks) this.slots.set(slot, (tasks = new RedisTasks(this.connection, this.settings)));
    return tasks;
  }
}

function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new StoreUnavailableError(`redis did not answer within ${ms} ms`, true)),
      ms,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
