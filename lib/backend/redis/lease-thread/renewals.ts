import type { Cluster, Redis } from 'ioredis';
import type { HeldLease } from './board-reader.js';
import type { ThreadData } from './thread-data.js';

/** Leases that one script call takes at most: others wait while it runs. */
const leasesPerCall = 2_000;

/** Asks the server to prolong leases: one call for all of them, or one per hash tag where a cluster holds queues apart. */
export class Renewals {
  constructor(
    private readonly client: Redis | Cluster,
    private readonly data: ThreadData,
  ) {}

  /** Tells of each call's leases and their letters (see renew.lua). Throws the first trouble when all calls have ended. */
  async renew(
    leases: readonly HeldLease[],
    answered: (lease: HeldLease, letter: string) => void,
  ): Promise<void> {
    const ends = await Promise.allSettled(
      this.groups(leases).map(async (group) => {
        for (let from = 0; from < group.length; from += leasesPerCall) {
          const some = group.slice(from, from + leasesPerCall);
          const letters = await this.withinAnswerTime(this.call(some));
          some.forEach((lease, index) => answered(lease, letters[index]!));
        }
      }),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
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

  private withinAnswerTime(reply: Promise<string>): Promise<string> {
    const { answerMs } = this.data;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer within ${answerMs} ms`)), answerMs);
      reply.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
