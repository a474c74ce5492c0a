import { parentPort } from 'node:worker_threads';
import { BoardReader, type HeldLease } from './board-reader.js';
import { monotonicMs } from './monotonic.js';
import type { ThreadData, ThreadMessage } from './thread-data.js';

/** Told of each lease, with one letter: k kept, c kept, but the task is asked to stop, l lost. */
export type Answered = (lease: HeldLease, letter: string) => void;

/** How a thread asks its store to prolong leases. */
export interface Renewer {
  /** Never waits for ever. Throws the first trouble when all that could be asked was asked. */
  renew(leases: readonly HeldLease[], answered: Answered): Promise<void>;
}

/** What a lease thread does: renews what stands on the board, also while the main event loop is blocked. */
export class RenewLoop {
  private readonly board: BoardReader;
  private failingSince: number | undefined;
  private isTold = false;

  constructor(
    private readonly data: ThreadData,
    private readonly renewer: Renewer,
  ) {
    this.board = new BoardReader(data.header);
    for (const buffer of data.buffers) this.board.add(buffer);
    parentPort!.on('message', (buffer: SharedArrayBuffer) => this.board.add(buffer));
  }

  async keepRenewing(): Promise<void> {
    const { leaseMs } = this.data;
    const beganAt = monotonicMs();
    try {
      await this.renewAll();
      this.succeeded();
    } catch (error) {
      this.failed(error);
    }
    const pauseMs = this.failingSince === undefined ? leaseMs / 3 : leaseMs / 12;
    setTimeout(() => void this.keepRenewing(), Math.max(pauseMs - (monotonicMs() - beganAt), 0));
  }

  private async renewAll(): Promise<void> {
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
    return this.board.held().filter(({ deadlineAt }) => silentMs <= blockedAfterMs || deadlineAt > now);
  }

  private answered(lease: HeldLease, letter: string, sentAt: number): void {
    // Settled meanwhile, and no longer ours to speak of.
    if (!this.board.isSame(lease)) return;
    const { row, version } = lease;
    if (letter !== 'l') this.board.renewed(lease, sentAt);
    if (letter !== 'k') tell({ type: letter === 'l' ? 'lost' : 'cancelled', row, version });
  }

  private succeeded(): void {
    this.failingSince = undefined;
    if (this.isTold) tell({ type: 'recovered' });
    this.isTold = false;
  }

  private failed(error: unknown): void {
    this.failingSince ??= monotonicMs();
    // What is over in a moment is not worth a line: the main event loop renews, too.
    if (this.isTold || monotonicMs() - this.failingSince < this.data.leaseMs / 3) return;
    this.isTold = true;
    tell({ type: 'trouble', why: error instanceof Error ? error.message : String(error) });
  }
}

function tell(message: ThreadMessage): void {
  parentPort!.postMessage(message, []);
}
