import type { Added, Claim, ClaimRequest, Renewal, TaskStore, Unparked } from '../../lib/backend/backend.js';
import { SharedClaim } from '../../lib/backend/redis/redis-cluster-claim.js';
import type { Lease, Settled, Settlement } from '../../lib/task/outcome.js';
import type { NewTask } from '../../lib/task/task-record.js';
import type { Line } from './sim-backend.js';

/** The hot path of the store as a process reaches it: part by part, over a network that fails. */
export class SimTasks implements TaskStore {
  readonly partOf?: (queue: string) => number;
  readonly isWideFrom?: number;
  private turn = 0;
  /** Outcomes that leave in this moment: a claim may go with them. */
  private isSettling = false;

  constructor(private readonly line: Line) {
    const { parts, isWideFrom } = line.weather;
    if (parts > 1) this.partOf = (queue) => line.partOf(queue);
    if (isWideFrom !== undefined) this.isWideFrom = isWideFrom;
  }

  /** Asked again within the time limit, as real stores are: the token tells a repeat. */
  async add(groups: readonly (readonly NewTask[])[]): Promise<(Added[] | Error)[]> {
    const part = this.line.partOf(groups[0]![0]!.queue);
    let error: { readonly sent?: boolean } | undefined;
    for (let tries = 1; tries <= 3; tries++)
      try {
        return await this.line.call(part, 'add', (tasks) => tasks.add(groups));
      } catch (failure) {
        // That nothing has left must be true of all tries.
        if (!error || error.sent === false) error = failure as { readonly sent?: boolean };
      }
    throw error as Error;
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const { weather } = this.line;
    const freesSlots = (weather.freesSlots && this.isSettling) || undefined;
    if (weather.parts === 1)
      return { ...(await this.line.call(0, 'claim', (tasks) => tasks.claim(request))), freesSlots };
    const shared = new SharedClaim(request, (queue) => this.line.partOf(queue), this.turn++);
    return shared.run((part, asked) => this.line.call(part, 'claim', (tasks) => tasks.claim(asked)));
  }

  async settle(settlements: readonly Settlement[]): Promise<Settled[]> {
    this.isSettling = true;
    queueMicrotask(() => (this.isSettling = false));
    if (this.line.weather.parts === 1) return this.settleIn(0, settlements);
    const answers = new Map<Settlement, Settled>();
    await this.eachPart(settlements, async (part, some) => {
      const settled = await this.settleIn(part, some).catch(() => undefined);
      some.forEach((one, at) => answers.set(one, settled?.[at] ?? 'unanswered'));
    });
    return settlements.map((one) => answers.get(one)!);
  }

  async renew(leases: readonly Lease[], leaseMs: number, isThread = false): Promise<Renewal> {
    const ask = (part: number, some: readonly Lease[]) =>
      this.line.call(part, 'renew', (tasks) => tasks.renew(some, leaseMs), isThread ? 'thread' : 'arrival');
    if (this.line.weather.parts === 1) return ask(0, leases);
    const renewal: Renewal = { lost: [], cancelled: [] };
    const unanswered: Lease[] = [];
    await this.eachPart(leases, async (part, some) => {
      const answer = await ask(part, some).catch(() => undefined);
      if (!answer) return void unanswered.push(...some);
      renewal.lost.push(...answer.lost);
      renewal.cancelled.push(...answer.cancelled);
    });
    return unanswered.length > 0 ? { ...renewal, unanswered } : renewal;
  }

  annotate(notes: Parameters<TaskStore['annotate']>[0]): Promise<void> {
    return this.line.call(0, 'annotate', (tasks) => tasks.annotate(notes));
  }

  unpark(...[queue, definitions, after]: Parameters<TaskStore['unpark']>): Promise<Unparked> {
    return this.line.call(this.line.partOf(queue), 'unpark', (tasks) =>
      tasks.unpark(queue, definitions, after),
    );
  }

  private settleIn(part: number, settlements: readonly Settlement[]): Promise<Settled[]> {
    return this.line.settle(part, settlements);
  }

  private async eachPart<T extends { readonly queue: string }>(
    items: readonly T[],
    ask: (part: number, some: T[]) => Promise<void>,
  ): Promise<void> {
    const parts = new Map<number, T[]>();
    for (const item of items) {
      const part = this.line.partOf(item.queue);
      parts.set(part, [...(parts.get(part) ?? []), item]);
    }
    await Promise.all(Array.from(parts, ([part, some]) => ask(part, some)));
  }
}
