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
import { AddCall, AddLines } from './redis-add.js';
import { byQueue, type Arguments } from './redis-arguments.js';
import { claimArguments, readClaim } from './redis-claim.js';
import type { RedisConnection } from './redis-connection.js';
import { exchangeOf, joined, readExchange, type Exchange, type Exchanged } from './redis-exchange.js';
import { annotate } from './redis-notes.js';
import { readSettled, settleCall } from './redis-settle.js';
import { unpark } from './redis-unpark.js';

/** Tasks of independent groups that one script call takes at most: others wait while it runs. */
const tasksPerCall = 1_000;

/** How late a due task may be promoted, or a lost lease be seen, while others of its queue are claimed. */
const lookEveryMs = 2;

/** How long a queue is asked in full after something unusual was met in it. */
const oddForMs = 1_000;

/**
 * The hot path, for queues that lie on one server or in one slot of a cluster: a method is one script call, and a second one
 * where the short way has met something unusual.
 */
export class RedisTasks implements TaskStore {
  private turn = 0;
  private readonly lines: AddLines;
  private settling: Settling | undefined;
  /** A queue that was looked through for due tasks and lost leases, and has more than it was asked for. */
  private full: { readonly queue: string; readonly until: number } | undefined;
  /** Queues that cannot go the short way, by when that was seen. */
  private readonly oddSince = new Map<string, number>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly settings: BackendSettings,
  ) {
    this.lines = new AddLines(connection.closed);
  }

  async add(groups: readonly (readonly NewTask[])[]): Promise<(Added[] | Error)[]> {
    const answers: (Added[] | Error)[] = groups.map(() => []);
    const calls = new Map<AddCall, number[]>();
    const open = new Map<string, AddCall>();
    groups.forEach((group, index) => {
      if (group.length === 0) return;
      // One that is alone has no others to stop, and needs no call of its own.
      const raises = group.length > 1 && group.some((task) => task.lock?.onConflict === 'raise');
      const { queue } = group[0]!;
      const isShared = !raises && group.every((task) => task.queue === queue);
      let call = isShared ? open.get(queue) : undefined;
      if (!call || call.size + group.length > tasksPerCall) {
        call = new AddCall(this.connection, this.rememberMs, raises ? 'all or none' : 'independent');
        calls.set(call, []);
        if (isShared) open.set(queue, call);
        // What comes after this one must not overtake it.
        else for (const task of group) open.delete(task.queue);
      }
      calls.get(call)!.push(index);
      for (let at = 0; at < group.length; at++) call.push(group[at]!, answers[index] as Added[], at);
    });
    const sending = Array.from(calls, async ([call, indexes]) => {
      try {
        await this.lines.send(call, this.settings.enqueueTimeoutMs);
      } catch (error) {
        for (const index of indexes) answers[index] = error as Error;
      }
    });
    await Promise.all(sending);
    return answers;
  }

  /** Like all that is done for every exchange of a busy runner without `async`: each promise more is felt with short tasks. */
  claim(request: ClaimRequest): Promise<Claim> {
    const settling = this.settling;
    this.settling = undefined;
    const exchange = this.isShort(request) && this.exchangeOf(settling?.settlements ?? [], request);
    return exchange ? this.exchange(exchange, request, settling) : this.claimInFull(request, settling);
  }

  private async claimInFull(request: ClaimRequest, settling?: Settling): Promise<Claim> {
    const names = request.queues.map(({ queue }) => queue);
    if (!settling)
      return readClaim(
        names,
        await this.run('claim', names, claimArguments(request, names, this.turn++, this.settings)),
      );
    // Both were asked in one moment: one call, outcomes first.
    const outcomes = settleCall(settling.settlements, this.settings.cancelledKeepMs);
    const all = [...new Set([...outcomes.names, ...names])];
    const both = this.run('settleAndClaim', all, [
      ...outcomes.args,
      ...claimArguments(request, all, this.turn++, this.settings),
    ]);
    both
      .then(([letters]) => readSettled(outcomes.order, letters as string))
      .then(settling.answer, settling.fail);
    return readClaim(names, (await both).slice(1));
  }

  /** Waits for the end of the moment, in case a claim is to go with it. */
  settle(settlements: readonly Settlement[]): Promise<Settled[]> {
    return new Promise((answer, fail) => {
      const settling: Settling = { settlements, answer, fail };
      this.sendAlone();
      this.settling = settling;
      queueMicrotask(() => this.settling === settling && this.sendAlone());
    });
  }

  async renew(leases: readonly Lease[], leaseMs: number): Promise<Renewal> {
    const { names, args, order } = byQueue(leases, ({ id, epoch }) => [id, epoch]);
    args.unshift(leaseMs);
    const letters = (await this.connection.run('renew', names, args)) as string;
    const renewal: Renewal = { lost: [], cancelled: [] };
    order.forEach((index, at) => {
      if (letters[at] === 'l') renewal.lost.push(leases[index]!);
      else if (letters[at] === 'c') renewal.cancelled.push(leases[index]!);
    });
    return renewal;
  }

  annotate(notes: readonly (Lease & { readonly notes: TaskNotes })[]): Promise<void> {
    return annotate(this.connection, notes);
  }

  unpark(queue: string, definitions: readonly JobFingerprint[], after?: string): Promise<Unparked> {
    return unpark(this.connection, queue, definitions, after);
  }

  /** A first try may still be on its way for a while after its last repeat. */
  private get rememberMs(): number {
    return 2 * this.settings.enqueueTimeoutMs + 60_000;
  }

  private exchangeOf(settlements: readonly Settlement[], request: ClaimRequest): Exchange | undefined {
    const { queue, until } = this.full ?? { until: 0 };
    const isBusy = settlements.length > 0 && request.limit > 0 && request.queues[0]!.limit > 0;
    const isFresh = isBusy && queue === request.queues[0]!.queue && performance.now() < until;
    if (!isFresh) this.full = undefined;
    return exchangeOf(settlements, request, this.turn++, !isFresh);
  }

  /** The short way; what turns out to be unusual is done in full right after it. */
  private exchange(exchange: Exchange, request: ClaimRequest, settling?: Settling): Promise<Claim> {
    const sentAt = performance.now();
    const exchanged = this.connection
      .run('exchange', exchange.queues, exchange.args)
      .then((reply) => readExchange(exchange, request, reply as Buffer[]));
    if (settling)
      exchanged.then(({ oddSettlements }) => this.settleOdd(settling, oddSettlements), settling.fail);
    return exchanged.then((answer) => this.exchanged(exchange, request, answer, sentAt));
  }

  private exchanged(
    exchange: Exchange,
    request: ClaimRequest,
    { claim, oddQueues }: Exchanged,
    sentAt: number,
  ): Claim | Promise<Claim> {
    const [asked] = request.queues;
    const isFull = claim.tasks.length > 0 && claim.tasks.length === Math.min(asked!.limit, request.limit);
    // One queue that gave all it was asked for need not be looked through again at once.
    if (!isFull || exchange.queues.length > 1) this.full = undefined;
    else this.full ??= { queue: asked!.queue, until: sentAt + lookEveryMs };
    return oddQueues.length === 0 ? claim : this.claimOdd(request, claim, oddQueues);
  }

  private async claimOdd(request: ClaimRequest, claim: Claim, oddQueues: readonly string[]): Promise<Claim> {
    for (const queue of oddQueues) this.oddSince.set(queue, performance.now());
    const queues = request.queues.filter(({ queue }) => oddQueues.includes(queue));
    const limit = request.limit - claim.tasks.length;
    try {
      const rest = await this.claim({ ...request, queues, limit });
      return joined(request, claim, rest, oddQueues);
    } catch (error) {
      // What the short way has brought is ours all the same.
      return { ...claim, unanswered: oddQueues.map((queue) => ({ queue, reason: error as Error })) };
    }
  }

  /** Queues in which something unusual was met are asked in full for a while: it is seldom alone. */
  private isShort({ queues }: ClaimRequest): boolean {
    if (this.oddSince.size === 0) return true;
    for (const [queue, since] of this.oddSince)
      if (performance.now() - since > oddForMs) this.oddSince.delete(queue);
    return !queues.some(({ queue }) => this.oddSince.has(queue));
  }

  private settleOdd({ settlements, answer, fail }: Settling, odd: readonly Settlement[]): void {
    if (odd.length === 0) return answer(settlements.map(() => 'settled'));
    const all = (answers: readonly Settled[]) =>
      settlements.map((settlement) => answers[odd.indexOf(settlement)] ?? 'settled');
    this.settleInFull(odd).then(all).then(answer, fail);
  }

  private sendAlone(): void {
    const { settling } = this;
    this.settling = undefined;
    if (settling) this.settleInFull(settling.settlements).then(settling.answer, settling.fail);
  }

  private async settleInFull(settlements: readonly Settlement[]): Promise<Settled[]> {
    const { names, args, order } = settleCall(settlements, this.settings.cancelledKeepMs);
    return readSettled(order, (await this.connection.run('settle', names, args)) as string);
  }

  private run(
    script: 'claim' | 'settleAndClaim',
    names: readonly string[],
    args: Arguments,
  ): Promise<unknown[]> {
    return this.connection.run(script, names, args) as Promise<unknown[]>;
  }
}

/** Outcomes that wait for the end of the moment. */
interface Settling {
  readonly settlements: readonly Settlement[];
  readonly answer: (settled: Settled[]) => void;
  readonly fail: (error: Error) => void;
}
