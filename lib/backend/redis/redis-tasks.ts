import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.js';
import type { Lease, Settled, Settlement } from '../../task/outcome.js';
import type { NewTask } from '../../task/task-record.js';
import type {
  Added,
  BackendSettings,
  Claim,
  ClaimedTask,
  ClaimRequest,
  JobFingerprint,
  Renewal,
  TaskStore,
  Unparked,
} from '../backend.js';
import type { RedisConnection } from './redis-connection.js';
import { keepText, outcomeArguments, readClaimed, taskArguments } from './redis-records.js';
import { unpark } from './redis-unpark.js';

/** Tasks of independent groups that one script call takes at most: others wait while it runs. */
const tasksPerCall = 1_000;

/** The hot path: each method is one script call, or one per queue where a cluster holds them apart. */
export class RedisTasks implements TaskStore {
  private turn = 0;
  private settling: Settling | undefined;

  constructor(
    private readonly connection: RedisConnection,
    private readonly settings: BackendSettings,
  ) {}

  async add(groups: readonly (readonly NewTask[])[]): Promise<Added[][]> {
    const answers = groups.map((): Added[] => []);
    const calls: AddCall[] = [];
    const open = new Map<string, AddCall>();
    groups.forEach((group, index) => {
      if (group.length === 0) return;
      const raises = group.some((task) => task.lock?.onConflict === 'raise');
      const { queue } = group[0]!;
      const isShared = !raises && group.every((task) => task.queue === queue);
      let call = isShared ? open.get(queue) : undefined;
      if (!call || call.size + group.length > tasksPerCall) {
        calls.push((call = new AddCall(raises ? 'g' : 'i')));
        if (isShared) open.set(queue, call);
      }
      group.forEach((task, at) => call.push(task, (added) => (answers[index]![at] = added)));
    });
    await Promise.all(calls.map((call) => this.sendUntilAnswered(call)));
    return answers;
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const names = request.queues.map(({ queue }) => queue);
    const settling = this.settling;
    this.settling = undefined;
    if (!settling)
      return readClaim(names, await this.run('claim', names, this.claimArguments(request, names)));
    // Both were asked in one moment: one call, outcomes first.
    const all = [...new Set([...settling.names, ...names])];
    const both = this.run('settleAndClaim', all, [...settling.args, ...this.claimArguments(request, all)]);
    settling.answer(both.then(([letters]) => letters as string));
    return readClaim(names, (await both).slice(1));
  }

  /** Waits for the end of the moment, in case a claim is to go with it. */
  settle(settlements: readonly Settlement[]): Promise<Settled[]> {
    const { names, args, order } = byQueue(
      settlements,
      ({ id, epoch, outcome, repeat }) => [id, epoch, ...outcomeArguments(outcome, repeat ?? false)],
      'numbered',
    );
    args.unshift(names.length, keepText(this.settings.cancelledKeepMs));
    return new Promise<string>((resolve) => {
      const settling: Settling = { names, args, answer: resolve };
      this.sendAlone();
      this.settling = settling;
      queueMicrotask(() => this.settling === settling && this.sendAlone());
    }).then((letters) => {
      const answers: Settled[] = [];
      order.forEach((index, at) => (answers[index] = letters[at] === 's' ? 'settled' : 'lost'));
      return answers;
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

  unpark(queue: string, definitions: readonly JobFingerprint[], after?: string): Promise<Unparked> {
    return unpark(this.connection, queue, definitions, after);
  }

  /** A repeat is harmless: a task that meets its own token was stored by an earlier try. */
  private async sendUntilAnswered(call: AddCall): Promise<void> {
    const until = performance.now() + this.settings.enqueueTimeoutMs;
    let sent = false;
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      try {
        return await call.send(this.connection);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        sent ||= error.sent;
        if (performance.now() + pauseMs >= until)
          throw new StoreUnavailableError(error.message, sent, { cause: error });
        await setTimeout(pauseMs);
      }
    }
  }

  private sendAlone(): void {
    const { settling } = this;
    this.settling = undefined;
    if (settling)
      settling.answer(this.connection.run('settle', settling.names, settling.args) as Promise<string>);
  }

  private run(
    script: 'claim' | 'settleAndClaim',
    names: readonly string[],
    args: Arguments,
  ): Promise<unknown[]> {
    return this.connection.run(script, names, args) as Promise<unknown[]>;
  }

  private claimArguments(request: ClaimRequest, called: readonly string[]): Arguments {
    const { queues, limit, leaseMs, runner, declares = [], holding } = request;
    const args: Arguments = [
      leaseMs,
      limit,
      runner,
      this.turn++ % Math.max(queues.length, 1),
      keepText(this.settings.deadKeepMs),
      keepText(this.settings.cancelledKeepMs),
      declares.length,
      ...declares,
      queues.length,
      holding ? 1 : 0,
    ];
    for (const { queue, limit: most } of queues) {
      args.push(called.indexOf(queue) + 1, Number.isFinite(most) ? most : limit);
      if (!holding) continue;
      const held = holding.filter((ref) => ref.queue === queue).map(({ id }) => id);
      args.push(held.length, ...held);
    }
    return args;
  }
}

type Arguments = (string | number)[];

/** Outcomes that wait for the end of the moment. */
interface Settling {
  readonly names: readonly string[];
  readonly args: Arguments;
  readonly answer: (letters: Promise<string>) => void;
}

function readClaim(names: readonly string[], reply: readonly unknown[]): Claim {
  const tasks: ClaimedTask[] = [];
  for (let at = names.length; at < reply.length; at += 8)
    tasks.push(readClaimed(names[Number(reply[at])]!, reply, at));
  return {
    tasks,
    nextInMs: names.map((_, index) => (reply[index] === 'inf' ? Infinity : Number(reply[index]))),
  };
}

/** Arguments grouped by queue, each group behind its count (and its queue's number in the call); `order` says which item stands where. */
function byQueue<T extends { readonly queue: string }>(
  items: readonly T[],
  write: (item: T) => (string | number)[],
  isNumbered?: 'numbered',
): { names: string[]; args: Arguments; order: number[] } {
  const groups = new Map<string, number[]>();
  items.forEach(({ queue }, index) => {
    const group = groups.get(queue);
    if (group) group.push(index);
    else groups.set(queue, [index]);
  });
  const args: Arguments = [];
  let number = 0;
  for (const indexes of groups.values()) {
    if (isNumbered) args.push(++number);
    args.push(indexes.length);
    for (const index of indexes) args.push(...write(items[index]!));
  }
  return { names: [...groups.keys()], args, order: [...groups.values()].flat() };
}

/** The tasks that one call of `add` brings, and who waits for each answer. */
class AddCall {
  private readonly tasks: NewTask[] = [];
  private readonly tell: ((added: Added) => void)[] = [];

  constructor(private readonly mode: 'i' | 'g') {}

  get size(): number {
    return this.tasks.length;
  }

  push(task: NewTask, tell: (added: Added) => void): void {
    this.tasks.push(task);
    this.tell.push(tell);
  }

  async send(connection: RedisConnection): Promise<void> {
    const { names, args, order } = byQueue(this.tasks, taskArguments);
    connection.note(names);
    args.unshift(this.mode);
    const [letters, ...others] = (await connection.run('add', names, args)) as string[];
    order.forEach((index, at) => this.tell[index]!(addedOf(letters![at]!, others)));
  }
}

/** Reads one letter of an add's reply; those that name another task take it from `others`. */
export function addedOf(letter: string, others: string[]): Added {
  switch (letter) {
    case 'e':
      return { status: 'enqueued' };
    case 'x':
      return { status: 'existing' };
    case 'd':
      return { status: 'dropped' };
    case 'r': {
      const holder = others.shift();
      return holder ? { status: 'replaced', holder } : { status: 'replaced' };
    }
    case 'j':
      return { status: 'rejected', holder: others.shift()! };
    default:
      return { status: 'raised', holder: others.shift()! };
  }
}
