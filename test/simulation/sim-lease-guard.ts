import type { LeaseGuard, LeaseGuardSettings, Renewal } from '../../lib/backend/backend.js';
import type { Lease } from '../../lib/task/outcome.js';
import type { SimProcess } from './sim-process.js';
import type { Pending, World } from './world.js';

interface Row {
  readonly lease: Lease;
  deadlineAt: number;
  renewedAt: number;
}

type Renew = (leases: readonly Lease[]) => Promise<Renewal>;

/** What the lease thread does, on the virtual clock: it goes on while the loop of its process is stalled, and dies with it. */
export class SimLeaseGuard implements LeaseGuard {
  private readonly rows = new Map<number, Row>();
  private rowsEver = 0;
  private aliveAt: number;
  private next: Pending;
  private isStopped = false;

  constructor(
    private readonly world: World,
    private readonly process: SimProcess,
    private readonly settings: LeaseGuardSettings,
    private readonly renew: Renew,
  ) {
    this.aliveAt = world.now;
    this.next = world.after(5, () => this.round(), process, 'thread');
  }

  hold(lease: Lease): number {
    this.rows.set(++this.rowsEver, { lease, deadlineAt: Infinity, renewedAt: -Infinity });
    return this.rowsEver;
  }

  release(row: number): void {
    this.rows.delete(row);
  }

  limit(row: number, afterMs: number): void {
    this.rows.get(row)!.deadlineAt = this.world.now + afterMs;
  }

  renewedAgoMs(row: number): number {
    return this.world.now - this.rows.get(row)!.renewedAt;
  }

  async check(): Promise<void> {}

  alive(): void {
    this.aliveAt = this.world.now;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.next.cancel();
  }

  private round(): void {
    const { leaseMs } = this.settings;
    const rows = this.rowsToRenew();
    const again = (pauseMs: number) => {
      if (!this.isStopped) this.next = this.world.after(pauseMs, () => this.round(), this.process, 'thread');
    };
    if (rows.length === 0) return again(leaseMs / 3);
    const sentAt = this.world.now;
    this.renew(rows.map(([, { lease }]) => lease)).then(
      (renewal) => {
        this.renewed(rows, renewal, sentAt);
        again(leaseMs / (renewal.unanswered ? 12 : 3));
      },
      () => again(leaseMs / 12),
    );
  }

  private rowsToRenew(): [number, Row][] {
    const { now } = this.world;
    const { leaseMs, blockedLimitMs } = this.settings;
    const silentMs = now - this.aliveAt;
    if (silentMs > Math.max(blockedLimitMs, leaseMs / 2)) return [];
    return Array.from(this.rows).filter(([, row]) => silentMs <= leaseMs / 2 || row.deadlineAt > now);
  }

  private renewed(
    rows: [number, Row][],
    { lost, cancelled, unanswered = [] }: Renewal,
    sentAt: number,
  ): void {
    for (const [number, row] of rows) {
      // Settled meanwhile, and no longer ours to speak of.
      if (this.rows.get(number) !== row || unanswered.includes(row.lease)) continue;
      const isLost = lost.includes(row.lease);
      if (!isLost) row.renewedAt = sentAt;
      if (isLost) this.tell(number, row, this.settings.lost);
      else if (cancelled.includes(row.lease)) this.tell(number, row, this.settings.cancelled);
    }
  }

  /** By a message, which waits for the loop. */
  private tell(number: number, row: Row, told: (lease: Lease) => void): void {
    const heard = () => this.rows.get(number) === row && told(row.lease);
    this.world.after(0.1, heard, this.process, 'arrival');
  }
}
