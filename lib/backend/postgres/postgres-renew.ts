import type { Lease } from '../../task/outcome.js';
import type { Renewal } from '../backend.js';
import type { PostgresFunctions } from './postgres-functions.js';

const leasesPerCall = 2_000;

export async function renew(
  functions: PostgresFunctions,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<Renewal> {
  const lost: Lease[] = [];
  const cancelled: Lease[] = [];
  const unanswered: Lease[] = [];
  for (let from = 0; from < leases.length; from += leasesPerCall) {
    const some = leases.slice(from, from + leasesPerCall);
    const told = some.map(({ queue, id, epoch }) => [queue, id, epoch]);
    const letters = (await functions.call('renew_v1', { leaseMs, leases: told })) as string;
    const lists: Record<string, Lease[]> = { l: lost, c: cancelled, u: unanswered };
    some.forEach((lease, at) => lists[letters[at]!]?.push(lease));
  }
  return unanswered.length > 0 ? { lost, cancelled, unanswered } : { lost, cancelled };
}
