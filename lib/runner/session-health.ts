import type { Clock } from '../task/clock.js';
import type { Attempt } from './attempt.js';
import type { Exchanges } from './exchanges.js';
import type { Intake } from './intake.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { RunnerSettings } from './runner-settings.js';
import type { SilentQueues } from './silent-queues.js';
import { earliestEnd } from './unrenewed.js';

/** A queue as a runner looks at it. */
export interface QueueLook {
  readonly queue: string;
  /** How long ago the store last answered what there is for it; since the start where it has not yet. */
  readonly lookedAgoMs: number;
  /** Every slot for it is taken: it is not looked at. */
  readonly isFull: boolean;
  /** Longer ago than a runner that works lets pass. */
  readonly isOverdue: boolean;
  /** Its part of the store gives no answer. */
  readonly isSilent: boolean;
}

/** How leases are kept. */
export interface LeaseHealth {
  readonly renewedBy: 'thread' | 'event-loop';
  /** Tasks whose leases are held. */
  readonly held: number;
  /** When the first of them ends, unless it is renewed. */
  readonly soonestEndMs?: number;
  /** What is wrong, in a sentence; undefined where nothing is. */
  readonly trouble?: string;
}

export interface SessionHealth {
  readonly running: number;
  readonly looks: readonly QueueLook[];
  readonly leases: LeaseHealth;
  /** For how long handlers may block the event loop. */
  readonly blockedLimitMs: number;
}

export interface SessionParts {
  readonly intake: Intake;
  readonly exchanges: Exchanges;
  readonly keeper: LeaseKeeper;
  readonly silent: SilentQueues;
  readonly running: ReadonlySet<Attempt>;
  readonly clock: Clock;
  readonly settings: Pick<RunnerSettings, 'pollIntervalMs' | 'blockedLimitMs'>;
  /** It never looks without having been told: there is no sweep by which it shows that it can. */
  readonly isNeverSweeping: boolean;
  readonly beganAt: number;
}

/** Beyond two sweeps: what an answer may take, and the pauses after a store that gave none. */
const graceMs = 5_000;

export async function sessionHealth(parts: SessionParts, withinMs: number): Promise<SessionHealth> {
  const [answered, leases] = await Promise.all([
    parts.isNeverSweeping ? lookNow(parts, withinMs) : undefined,
    leaseHealth(parts, withinMs),
  ]);
  const { clock, intake, settings, silent, beganAt, running } = parts;
  const now = clock.elapsed();
  const looks = intake.looked.map(({ queue, lookedAt, isFull }): QueueLook => {
    const lookedAgoMs = Math.round(now - Math.max(lookedAt, beganAt));
    const isLate = answered ? !answered.has(queue) : lookedAgoMs > 2 * settings.pollIntervalMs + graceMs;
    return { queue, lookedAgoMs, isFull, isOverdue: isLate && !isFull, isSilent: silent.isSilent(queue) };
  });
  return { running: running.size, looks, leases, blockedLimitMs: settings.blockedLimitMs };
}

/** Makes a runner look at all that it has room for; answers the queues for which the store has answered in time. */
function lookNow({ intake, exchanges, clock }: SessionParts, withinMs: number): Promise<Set<string>> {
  const before = new Map(intake.looked.map(({ queue, looks }) => [queue, looks]));
  const seen = () => intake.looked.filter(({ queue, looks, isFull }) => isFull || looks > before.get(queue)!);
  return new Promise((resolve) => {
    const end = () => {
      stopListening();
      timer.cancel();
      resolve(new Set(seen().map(({ queue }) => queue)));
    };
    const timer = clock.after(withinMs, end);
    const stopListening = intake.listen(() => seen().length === before.size && end());
    if (seen().length === before.size) return end();
    intake.sweep();
    exchanges.wake();
  });
}

async function leaseHealth({ keeper, running, clock }: SessionParts, withinMs: number): Promise<LeaseHealth> {
  const threadTrouble = await keeper.guard?.check(withinMs).then(
    () => undefined,
    (error: Error) => `the lease thread does not renew leases, the main event loop does: ${error.message}`,
  );
  for (const attempt of running) keeper.endOf(attempt);
  const soonestEndMs = Math.round(earliestEnd(running) - clock.elapsed());
  const trouble = keeper.isKeeping ? threadTrouble : 'leases cannot be renewed';
  return {
    renewedBy: keeper.guard && threadTrouble === undefined ? 'thread' : 'event-loop',
    held: keeper.held.length,
    soonestEndMs: Number.isFinite(soonestEndMs) ? soonestEndMs : undefined,
    trouble: soonestEndMs <= 0 ? 'leases have ended before they were renewed' : trouble,
  };
}
