import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Lease } from '../../../task/outcome.js';
import type { LeaseGuard, LeaseGuardSettings } from '../../backend.js';
import { leaseThreadSource } from '../lease-thread-source.js';
import { luaSources } from '../lua-sources.js';
import { RedisKeys } from '../redis-keys.js';
import type { RedisTarget } from '../redis-target.js';
import { cloneableTarget, type CloneableTarget } from './cloneable-target.js';
import { ioredisPath } from './ioredis-path.js';
import { LeaseBoard } from './lease-board.js';
import { monotonicMs } from './monotonic.js';
import type { ThreadData, ThreadMessage } from './thread-data.js';

/** Undefined where no thread can be had; why is reported. */
export function guardRedisLeases(
  target: RedisTarget,
  prefix: string,
  settings: LeaseGuardSettings,
): LeaseGuard | undefined {
  try {
    return new RedisLeaseGuard(settings, prefix, cloneableTarget(target), ioredisPath());
  } catch (error) {
    settings.report(withoutThread((error as Error).message));
    return undefined;
  }
}

const withoutThread = (why: string) =>
  `leases are renewed by the main event loop, since ${why}: a handler that blocks it loses its task`;

/** Renews leases from a thread with a connection of its own. */
class RedisLeaseGuard implements LeaseGuard {
  private readonly board = new LeaseBoard((buffer) => this.worker?.postMessage(buffer));
  private readonly leases: (Lease | undefined)[] = [];
  private readonly queues: ReadonlyMap<string, number>;
  private readonly starting: NodeJS.Immediate;
  private worker: Worker | undefined;
  private isStopped = false;

  constructor(
    private readonly settings: LeaseGuardSettings,
    private readonly prefix: string,
    private readonly target: CloneableTarget,
    private readonly ioredis: string,
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

  alive(): void {
    this.board.aliveAt = monotonicMs();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearImmediate(this.starting);
    // At once, whatever it waits for; its connection goes with it.
    await this.worker?.terminate();
  }

  private start(): void {
    try {
      this.worker = new Worker(leaseThreadSource, {
        eval: true,
        name: 'nestjs-jobs leases',
        workerData: this.threadData(),
        // What the process loads ahead of itself is not meant for this thread.
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 },
      });
    } catch (error) {
      return this.settings.report(withoutThread((error as Error).message));
    }
    // What it waits for must not hold up an exit.
    this.worker.unref();
    this.worker.on('message', (message: ThreadMessage) => this.heard(message));
    let why = 'the lease thread has ended';
    this.worker.on('error', (error) => (why = `the lease thread has failed (${error.message})`));
    this.worker.once('exit', () => this.isStopped || this.settings.report(withoutThread(why)));
  }

  private threadData(): ThreadData {
    const { leaseMs, blockedLimitMs, queues } = this.settings;
    const source = luaSources.renew;
    const keys = new RedisKeys(this.prefix);
    // The loop gives a sign of life every sixth of a lease.
    const blockedAfterMs = leaseMs / 2;
    return {
      header: this.board.header,
      buffers: this.board.buffers,
      ioredis: this.ioredis,
      connectionName: `${this.prefix}:leases`,
      target: this.target,
      script: { source, sha: createHash('sha1').update(source).digest('hex') },
      queues: queues.map((queue) => keys.of(queue)),
      leaseMs,
      answerMs: leaseMs / 4,
      blockedAfterMs,
      blockedLimitMs: Math.max(blockedLimitMs, blockedAfterMs),
    };
  }

  private heard(message: ThreadMessage): void {
    const { settings } = this;
    if (message.type === 'recovered') return settings.report('the lease thread renews leases again');
    if (message.type === 'trouble')
      return settings.report(
        `the lease thread cannot renew leases, the main event loop does: ${message.why}`,
      );
    const lease = this.leases[message.row];
    // Settled meanwhile: the row is another's.
    if (!lease || this.board.version(message.row) !== message.version) return;
    settings[message.type](lease);
  }
}
