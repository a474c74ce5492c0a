import { Worker } from 'node:worker_threads';
import type { Lease } from '../../task/outcome.js';
import type { LeaseGuard, LeaseGuardSettings } from '../backend.js';
import { answerWithin } from './answer-within.js';
import { LeaseBoard } from './lease-board.js';
import { monotonicMs } from './monotonic.js';
import type { Own, ThreadData, ThreadMessage } from './thread-data.js';

/** The thread of an engine. */
export interface LeaseThread<Data extends ThreadData> {
  /** Its code; see embed.mjs. */
  readonly source: string;
  readonly data: Own<Data>;
  /** Takes passwords out of what is said about its connection. */
  readonly redact: (text: string) => string;
}

/** Undefined where no thread can be had, which `prepare` says by throwing; why is reported. */
export function guardLeases<Data extends ThreadData>(
  settings: LeaseGuardSettings,
  prepare: () => LeaseThread<Data>,
): LeaseGuard | undefined {
  try {
    return new ThreadLeaseGuard(settings, prepare());
  } catch (error) {
    settings.report(withoutThread((error as Error).message));
    return undefined;
  }
}

const withoutThread = (why: string) =>
  `leases are renewed by the main event loop, since ${why}: a handler that blocks it loses its task`;

/** Renews leases from a thread with a connection of its own. */
class ThreadLeaseGuard<Data extends ThreadData> implements LeaseGuard {
  private readonly board = new LeaseBoard((buffer) => this.worker?.postMessage(buffer));
  private readonly leases: (Lease | undefined)[] = [];
  private readonly queues: ReadonlyMap<string, number>;
  private readonly starting: NodeJS.Immediate;
  private worker: Worker | undefined;
  /** Why there is no thread any more. */
  private ended: string | undefined;
  private asked = 0;
  private readonly asking = new Map<number, (why: string | undefined) => void>();
  private isStopped = false;

  constructor(
    private readonly settings: LeaseGuardSettings,
    private readonly thread: LeaseThread<Data>,
  ) {
    this.queues = new Map(settings.queues.map((queue, index) => [queue, index]));
    this.alive();
    // The boot does not wait for it.
    this.starting = setImmediate(() => this.start());
  }

  hold(lease: Lease): number {
    const row = this.board.hold(this.queues.get(lease.queue)!, lease.id, lease.epoch);
    this.leases[row] = lease;
    return row;
  }

  release(row: number): void {
    this.leases[row] = undefined;
    this.board.release(row);
  }

  limit(row: number, afterMs: number): void {
    this.board.limit(row, monotonicMs() + afterMs);
  }

  renewedAgoMs(row: number): number {
    return monotonicMs() - this.board.renewedAt(row);
  }

  async check(withinMs: number): Promise<void> {
    // It is started by the next turn of the event loop.
    if (!this.worker) await new Promise((resolve) => setImmediate(resolve));
    if (this.isStopped) return;
    const ask = ++this.asked;
    try {
      const why = this.ended ?? (await answerWithin(withinMs, this.ask(ask)));
      if (why !== undefined) throw new Error(this.thread.redact(why));
    } finally {
      this.asking.delete(ask);
    }
  }

  alive(): void {
    this.board.aliveAt = monotonicMs();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearImmediate(this.starting);
    for (const answer of this.asking.values()) answer(undefined);
    // At once, whatever it waits for; its connection goes with it.
    await this.worker?.terminate();
  }

  private ask(ask: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.asking.set(ask, resolve);
      this.worker?.postMessage({ ask });
    });
  }

  private start(): void {
    try {
      this.worker = new Worker(this.thread.source, {
        eval: true,
        name: 'nestjs-jobs leases',
        workerData: this.threadData(),
        // What the process loads ahead of itself is not meant for this thread.
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 },
      });
    } catch (error) {
      return this.without((error as Error).message);
    }
    // What it waits for must not hold up an exit.
    this.worker.unref();
    this.worker.on('message', (message: ThreadMessage) => this.heard(message));
    let why = 'the lease thread has ended';
    this.worker.on('error', (error) => (why = `the lease thread has failed (${error.message})`));
    this.worker.once('exit', () => this.isStopped || this.without(why));
  }

  private threadData(): ThreadData & Own<Data> {
    const { leaseMs, blockedLimitMs } = this.settings;
    // The loop gives a sign of life every sixth of a lease.
    const blockedAfterMs = leaseMs / 2;
    return {
      ...this.thread.data,
      header: this.board.header,
      buffers: this.board.buffers,
      leaseMs,
      answerMs: leaseMs / 4,
      blockedAfterMs,
      blockedLimitMs: Math.max(blockedLimitMs, blockedAfterMs),
    };
  }

  private without(why: string): void {
    this.ended = why;
    for (const answer of this.asking.values()) answer(why);
    this.settings.report(withoutThread(this.thread.redact(why)));
  }

  private heard(message: ThreadMessage): void {
    const { settings, thread } = this;
    if (message.type === 'answer') return this.asking.get(message.ask)?.(message.why);
    if (message.type === 'recovered') return settings.report('the lease thread renews leases again');
    if (message.type === 'trouble')
      return settings.report(
        `the lease thread cannot renew leases, the main event loop does: ${thread.redact(message.why)}`,
      );
    const lease = this.leases[message.row];
    // Settled meanwhile: the row is another's.
    if (!lease || this.board.version(message.row) !== message.version) return;
    settings[message.type](lease);
  }
}
