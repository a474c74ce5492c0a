import type { Seeded } from './seeded.js';

/** How a simulated world is, and what goes wrong in it and how often: each seed has its own. */
export interface Weather {
  readonly faultsForMs: number;
  readonly processes: number;
  readonly tasks: number;
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  readonly shutdownTimeoutMs: number;
  readonly blockedLimitMs: number;
  /** A call that gets no answer is given up. */
  readonly callTimeoutMs: number;
  readonly keepMs: number;
  /** How many parts the store has; 1: it is no store of parts. */
  readonly parts: number;
  /** Leases are renewed by a thread. */
  readonly hasGuard: boolean;
  /** Claims are answered before the outcomes that went along. */
  readonly freesSlots: boolean;
  readonly isWideFrom: number | undefined;
  /** Calls of a process arrive in the order in which they left. */
  readonly isOrdered: boolean;
  readonly slowestMs: number;
  /** Of all calls. */
  readonly refused: number;
  readonly requestLost: number;
  readonly replyLost: number;
  readonly late: number;
  readonly bellLost: number;
  /** Of all runs. */
  readonly poison: number;
  readonly blocking: number;
  readonly failing: number;
  readonly lingering: number;
  /** What happens to processes and parts, by its share of all incidents. */
  readonly incidents: Readonly<Record<Incident, number>>;
  readonly incidentEveryMs: number;
}

export type Incident = 'kill' | 'stop' | 'stall' | 'cut-off' | 'silence' | 'clock' | 'operator';

/** Half of the seeds leave a fault out altogether: what one hides another may show. */
export function weatherOf(random: Seeded): Weather {
  const sometimes = (most: number) => (random.chance(0.5) ? 0 : random.next() ** 2 * most);
  const leaseMs = random.pick([2_000, 4_000, 10_000]);
  const parts = random.pick([1, 1, 1, 2, 3]);
  return {
    faultsForMs: random.int(20_000, 60_000),
    processes: random.int(1, 4),
    tasks: random.int(10, 70),
    leaseMs,
    pollIntervalMs: random.pick([1_000, 3_000, 5_000]),
    shutdownTimeoutMs: random.pick([0, 500, 3_000, 8_000]),
    blockedLimitMs: random.pick([leaseMs / 2, 3 * leaseMs, 60_000]),
    callTimeoutMs: random.pick([300, 1_000, 5_000]),
    keepMs: random.pick([0, 0, 3_600_000]),
    parts,
    hasGuard: random.chance(0.4),
    freesSlots: parts === 1 && random.chance(0.4),
    isWideFrom: random.pick([undefined, undefined, 2, 100]),
    isOrdered: random.chance(0.5),
    slowestMs: random.pick([5, 50, 500, 5_000]),
    refused: sometimes(0.15),
    requestLost: sometimes(0.1),
    replyLost: sometimes(0.15),
    late: sometimes(0.05),
    bellLost: random.pick([0, 0.1, 0.5, 1]),
    poison: sometimes(0.08),
    blocking: sometimes(0.1),
    failing: random.next() * 0.4,
    lingering: sometimes(0.3),
    incidents: {
      kill: sometimes(1),
      stop: sometimes(0.5),
      stall: sometimes(1),
      'cut-off': sometimes(1),
      silence: sometimes(1),
      clock: sometimes(0.3),
      operator: sometimes(2),
    },
    incidentEveryMs: random.pick([500, 1_500, 4_000]),
  };
}
