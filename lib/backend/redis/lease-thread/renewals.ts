import type { Cluster, Redis } from 'ioredis';
import { answerWithin } from '../../lease-thread/answer-within.js';
import type { HeldLease } from '../../lease-thread/board-reader.js';
import type { Answered, Renewer } from '../../lease-thread/renew-loop.js';
import type { RedisThreadData } from './redis-thread-data.js';

/** Leases that one script call takes at most: others wait while it runs. */
const leasesPerCall = 2_000;

/** Asks the server to prolong leases: one call for all of them, or one per hash tag where a cluster holds queues apart. */
export class Renewals implements Renewer {
  private connectionError: Error | undefined;

  constructor(
    private readonly client: Redis | Cluster,
    private readonly data: RedisThreadData,
  ) {
    client.on('error', (error: Error) => (this.connectionError = error));
  }

  /** The letters are those of renew.lua. */
  async renew(leases: readonly HeldLease[], answered: Answered): Promise<void> {
    const ends = await Promise.allSettled(
      this.groups(leases).map(async (group) => {
        for (let from = 0; from < group.length; from += leasesPerCall) {
          const some = group.slice(from, from + leasesPerCall);
          const letters = await answerWithin(this.data.answerMs, this.call(some));
          some.forEach((lease, index) => answered(lease, letters[index]!));
        }
      }),
    );
    for (const end of ends) if (end.status === 'rejected') throw this.causeOf(end.reason);
  }

  /** Those that one call may take, those of a queue next to each other. */
  private groups(leases: readonly HeldLease[]): HeldLease[][] {
    const sorted = [...leases].sort((a, b) => a.queue - b.queue);
    const groups = new Map<string, HeldLease[]>();
    for (const lease of sorted) {
      const tag = this.tagOf(lease.queue);
      const group = groups.get(tag);
      if (group) group.push(lease);
      else groups.set(tag, [lease]);
    }
    return [...groups.values()];
  }

  private tagOf(queue: number): string {
    if (!this.data.target.nodes) return '';
    return /\{[^}]+\}/.exec(this.data.queues[queue]![0]!)![0];
  }

  private async call(leases: readonly HeldLease[]): Promise<string> {
    const { queues, leaseMs, script } = this.data;
    const keys: string[] = [];
    const args: (string | number)[] = [leaseMs];
    for (let from = 0; from < leases.length;) {
      const { queue } = leases[from]!;
      let end = from;
      while (leases[end]?.queue === queue) end++;
      keys.push(...queues[queue]!);
      args.push(end - from);
      for (; from < end; from++) args.push(leases[from]!.id, leases[from]!.epoch);
    }
    const given = [keys.length, ...keys, ...args];
    if (this.client.status !== 'ready') throw new Error(`not connected (${this.client.status})`);
    try {
      return (await this.client.call('EVALSHA', [script.sha, ...given])) as string;
    } catch (error) {
      // A server that was restarted, or whose scripts were flushed, has done nothing yet.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await this.client.call('EVAL', [script.source, ...given])) as string;
    }
  }

  /** Without a connection, what keeps it from being made says more. */
  private causeOf(reason: unknown): unknown {
    return this.client.status === 'ready' ? reason : (this.connectionError ?? reason);
  }
}
