import { parentPort } from 'node:worker_threads';
import { BoardReader, type HeldLease } from './board-reader.js';
import { monotonicMs } from './monotonic.js';
import type { ThreadData, ThreadMessage, ThreadRequest } from './thread-data.js';

/**
 * Told of each lease, with one letter: k kept, c kept, but the task is asked to stop, l lost, u unknown right now, to be asked
 * for again soon.
 */
export type Answered = (lease: HeldLease, letter: string) => void;

/** How a thread asks its store to prolong leases. */
export interface Renewer {
  /** Never waits for ever. Throws the first trouble when all that could be asked was asked. */
  renew(leases: readonly HeldLease[], answered: Answered): Promise<void>;
}

/** What a lease thread does: renews what stands on the board, also while the main event loop is blocked. */
export class RenewLoop {
  private readonly board: BoardReader;
  /** When the latest round began: what was renewed since then is not asked for again before the next. */
  private roundAt = -Infinity;
  private roundEndedAt = monotonicMs();
  private failingSince: number | undefined;
  private trouble: string | undefined;
  private isTold = false;
  private isUnknown = false;

  constructor(
    private readonly data: ThreadData,
    private readonly renewer: Renewer,
  ) {
    this.board = new BoardReader(data.header);
    for (const buffer of data.buffers) this.board.add(buffer);
    parentPort!.on('message', (request: ThreadRequest) => {
      if ('ask' in request) tell({ type: 'answer', ask: request.ask, why: this.why() });
      else this.board.add(request);
    });
  }

  async keepRenewing(): Promise<void> {
    const { leaseMs } = this.data;
    const beganAt = monotonicMs();
    if (beganAt - this.roundAt >= leaseMs / 3) this.roundAt = beganAt;
    try {
      await this.renewAll();
      this.succeeded();
    } catch (error) {
      this.failed(error);
    }
    this.roundEndedAt = monotonicMs();
    const isWell = this.failingSince === undefined && !this.isUnknown;
    const nextAt = Math.min(this.roundAt + leaseMs / 3, isWell ? Infinity : beganAt + leaseMs / 12);
    setTimeout(() => void this.keepRenewing(), Math.max(nextAt - monotonicMs(), 0));
  }

  private async renewAll(): Promise<void> {
    this.isUnknown = false;
    const leases = this.leasesToRenew();
    if (leases.length === 0) return;
    const sentAt = monotonicMs();
    await this.renewer.renew(leases, (lease, letter) => this.answered(lease, letter, sentAt));
  }

  /** Nothing of an event loop that is blocked for too long; and of a blocked one no run past its timeout. */
  private leasesToRenew(): HeldLease[] {
    const { blockedAfterMs, blockedLimitMs } = this.data;
    const now = monotonicMs();
    const silentMs = now - this.board.aliveAt;
    if (silentMs > blockedLimitMs) return [];
    return this.board
      .held()
      .filter(({ deadlineAt }) => silentMs <= blockedAfterMs || deadlineAt > now)
      .filter(({ renewedAt }) => renewedAt < this.roundAt);
  }

  private answered(lease: HeldLease, letter: string, sentAt: number): void {
    // Settled meanwhile, and no longer ours to speak of.
    if (!this.board.isSame(lease)) return;
    if (letter === 'u') {
      this.isUnknown = true;
      return;
    }
    const { row, version } = lease;
    if (letter !== 'l') this.board.renewed(lease, sentAt);
    if (letter !== 'k') tell({ type: letter === 'l' ? 'lost' : 'cancelled', row, version });
  }

  /** What is wrong, if anything is; that it answers at all shows that it lives. */
  private why(): string | undefined {
    const silentMs = monotonicMs() - this.roundEndedAt;
    if (silentMs > this.data.leaseMs) return `its latest round has not ended for ${Math.round(silentMs)} ms`;
    return this.isTold ? this.trouble : undefined;
  }

  private succeeded(): void {
    this.failingSince = undefined;
    if (this.isTold) tell({ type: 'recovered' });
    this.isTold = false;
  }

  private failed(error: unknown): void {
    this.failingSince ??= monotonicMs();
    this.trouble = whyOf(error);
    // What is over in a moment is not worth a line: the main event loop renews, too.
    if (this.isTold || monotonicMs() - this.failingSince < this.data.leaseMs / 3) return;
    this.isTold = true;
    tell({ type: 'trouble', why: whyOf(error) });
  }
}

function tell(message: ThreadMessage): void {
  parentPort!.postMessage(message, []);
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Where a host has several addresses, the error of all of them has no message.
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
