import type { Outcome } from '../../lib/task/outcome.js';
import type { LockPhase, TaskRef, TaskState } from '../../lib/task/task-record.js';

/** A run, or the claim that it comes from: an epoch is drawn once. */
interface OfRun extends TaskRef {
  readonly process: string;
  readonly epoch: number;
  readonly attempt: number;
}

/** A write about a running task that the store took. */
interface Write extends TaskRef {
  readonly process: string;
  readonly epoch: number;
  /** When it left, where `at` is only the moment of its answer; else it happened at `at`. */
  readonly sentAt?: number;
}

/** What a process did. Whoever drives real processes can tell all of these. */
type OfProcess =
  | {
      readonly type: 'up';
      readonly process: string;
      readonly concurrency: number;
      /** By how much its wall clock is wrong. */
      readonly clockMs?: number;
    }
  /** Gone without a word. What it held is settled by nobody. */
  | {
      readonly type: 'died';
      readonly process: string;
      /** At which named point, where it was to die at one. */
      readonly point?: string;
    }
  /** Its event loop stands still for so long: leases may end although it lives. */
  | { readonly type: 'stalled'; readonly process: string; readonly forMs: number }
  /** Nothing comes through between it and the store for so long, or the store is not there. */
  | { readonly type: 'cut-off'; readonly process: string; readonly forMs: number }
  /** Gone, though nobody asked it to. */
  | { readonly type: 'exited'; readonly process: string; readonly code: number | null }
  /** Still there, long after it was asked to stop. */
  | {
      readonly type: 'hung';
      readonly process: string;
      /** What it does not answer, or what keeps it. */
      readonly over?: string;
    }
  /** What it holds, before the fault and after all is over. */
  | {
      readonly type: 'usage';
      readonly process: string;
      readonly when: 'before' | 'after';
      readonly heapMb: number;
      readonly sockets: number;
    }
  /** Asked to stop; within `limitMs` it must be down. */
  | { readonly type: 'stopping'; readonly process: string; readonly limitMs: number }
  /** It has drained, and left so many timers behind; and unanswered calls, where all answer. */
  | { readonly type: 'down'; readonly process: string; readonly timers: number; readonly calls?: number }
  | ({
      readonly type: 'enqueue';
      readonly process: string;
      readonly job?: string;
      readonly retries?: number;
      /** It is due so long after this moment, at the earliest. */
      readonly inMs?: number;
      /** Of its lock, where it is unique until it is completed. */
      readonly key?: string;
    } & TaskRef)
  | ({ readonly type: 'acknowledged'; readonly status: string; readonly holder?: string } & TaskRef)
  /** `sent: false` says that nothing can have been stored. */
  | ({ readonly type: 'refused'; readonly sent: boolean } & TaskRef)
  | ({
      readonly type: 'started';
      /** Of its schedule, by the wall clock. */
      readonly slot?: number;
    } & OfRun)
  | ({ readonly type: 'effect' } & OfRun)
  /** The handler's signal. */
  | ({ readonly type: 'aborted' } & OfRun)
  /** The handler is over. */
  | ({ readonly type: 'ended' } & OfRun)
  /** The attempt is over, be it before its handler: an outcome is on its way, and the slot will be another's. */
  | ({ readonly type: 'offered'; readonly outcome: Outcome['type'] } & OfRun)
  /** The process was told that its outcome does not count. */
  | ({ readonly type: 'told-lost' } & Omit<OfRun, 'epoch'>);

/** What the store did. Where it cannot be watched, what processes were answered stands in for it. */
type OfStore =
  /** A record was made, or made anew by a replacement or a retry: attempts count from 0. */
  | ({ readonly type: 'stored' } & StoredTask)
  | ({
      readonly type: 'claimed';
      readonly priority: number;
      /** Who holds its lock: the run must not begin. */
      readonly conflictsWith?: string;
      /** Taken from parked, past the line. */
      readonly isUnparked?: boolean;
      /** When the runner asked for it. */
      readonly sentAt?: number;
    } & OfRun)
  | ({
      readonly type: 'settled';
      readonly outcome: Outcome['type'];
      readonly state: TaskState | 'gone';
    } & Write)
  /** A store took the outcome, and may have forgotten that it did. */
  | ({ readonly type: 'settled-in-vain' } & Write)
  | ({ readonly type: 'renewed' } & Write)
  /** The store took the task back, since nobody settled it in time. */
  | ({ readonly type: 'lease-ended'; readonly epoch: number } & TaskRef)
  /**
   * A later claim of the same runner did not know of it, since the answer was lost: it goes back. One that is late, because its
   * runner had given it up, may take back what the runner has learnt of meanwhile.
   */
  | ({ readonly type: 'taken-back'; readonly state: TaskState; readonly isLate?: boolean } & Write)
  /** By none of the above: it fell due, was cancelled, put back or forgotten. */
  | ({ readonly type: 'moved'; readonly state: TaskState | 'gone' } & TaskRef)
  /** All locks of a queue that are held. */
  | { readonly type: 'locks'; readonly queue: string; readonly held: readonly HeldLock[] }
  /** Where a task stands when all is over: one line for each place in which it is found. */
  | ({
      readonly type: 'listed';
      readonly state: TaskState;
      readonly job?: string;
      readonly attempt?: number;
      readonly schedule?: string;
      readonly slot?: number;
      /** Rows that its runs have left, where each is committed with its success. */
      readonly rows?: number;
    } & TaskRef)
  /** Rows that runs of a task have left which is listed nowhere. */
  | ({ readonly type: 'left'; readonly rows: number } & TaskRef)
  /** How many tasks the store says there are. */
  | { readonly type: 'counted'; readonly queue: string; readonly state: TaskState; readonly count: number }
  | ({
      readonly type: 'schedule';
      readonly everyMs: number;
      readonly firstSlot: number;
      readonly lastSlot?: number;
      readonly fired: number;
      readonly skipped: number;
      /** The wall clock when this was read. */
      readonly wallAt?: number;
    } & TaskRef);

/** What the driver says: no fault from here on; and that nothing goes on any more. */
type OfDriver =
  | {
      readonly type: 'healed';
      /** The same moment by the wall clock. */
      readonly wallAt?: number;
    }
  | { readonly type: 'rest' }
  /** By what real processes are measured: how long a lease lasts, how often they look, and what a slow machine may add. */
  | {
      readonly type: 'settings';
      readonly leaseMs: number;
      readonly sweepMs: number;
      readonly slackMs: number;
    }
  /** From when on work went on as usual, and from when on it did not. */
  | { readonly type: 'steady' }
  | {
      readonly type: 'fault';
      readonly name: string;
      /** It is none of those that cost a lease: no run may be in vain. */
      readonly costsNothing?: boolean;
    }
  /** What the fault did, counted: the round shows nothing where it did not happen. */
  | { readonly type: 'injected'; readonly what: string; readonly count: number }
  /** The driver itself, which has next to nothing to do, stood still for so long: so may have all others. */
  | { readonly type: 'machine-stalled'; readonly forMs: number }
  /** Somebody has made rubbish of what is stored of a task. */
  | ({ readonly type: 'spoilt' } & TaskRef)
  /** The store has lost what it took since then, as it may: it had not promised to keep it. */
  | { readonly type: 'forgot'; readonly sinceAt: number };

/** One line of a history, in the order in which things happened; `at` is in milliseconds of one clock. */
export type HistoryEvent = { readonly at: number } & (OfProcess | OfStore | OfDriver);

export interface StoredTask extends TaskRef {
  readonly state: TaskState;
  readonly priority: number;
  readonly retries: number;
  readonly lock?: { readonly key: string; readonly phase: LockPhase };
  readonly schedule?: string;
  readonly slot?: number;
}

export interface HeldLock {
  readonly key: string;
  readonly holder: string;
}

export function toLines(history: readonly HistoryEvent[]): string {
  return history.map((event) => JSON.stringify(event)).join('\n');
}

export function fromLines(text: string): HistoryEvent[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as HistoryEvent);
}

export function nameOf({ queue, id }: TaskRef): string {
  return `${queue}/${id}`;
}
