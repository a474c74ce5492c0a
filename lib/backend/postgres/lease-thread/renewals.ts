import type { HeldLease } from '../../lease-thread/board-reader.js';
import type { Answered, Renewer } from '../../lease-thread/renew-loop.js';
import type { PostgresThreadData } from './postgres-thread-data.js';
import type { ThreadConnection } from './thread-connection.js';

/** Leases that one call takes at most: it must end within the time of an answer. */
const leasesPerCall = 2_000;

/** Asks the server to prolong leases. */
export class Renewals implements Renewer {
  constructor(
    private readonly connection: ThreadConnection,
    private readonly data: PostgresThreadData,
  ) {}

  async renew(leases: readonly HeldLease[], answered: Answered): Promise<void> {
    for (let from = 0; from < leases.length; from += leasesPerCall) {
      const some = leases.slice(from, from + leasesPerCall);
      const letters = await this.call(some);
      some.forEach((lease, index) => answered(lease, letters[index]!));
    }
  }

  private async call(leases: readonly HeldLease[]): Promise<string> {
    const { statement, leaseMs, queues } = this.data;
    const given = leases.map(({ queue, id, epoch }) => [queues[queue]!, id, epoch]);
    const letters: unknown = JSON.parse(
      await this.connection.ask(statement, JSON.stringify({ leaseMs, leases: given })),
    );
    if (typeof letters === 'string' && letters.length === leases.length) return letters;
    throw new Error(`${leases.length} leases were answered by ${JSON.stringify(letters)}`);
  }
}
