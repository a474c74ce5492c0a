/**
 * Where a task is on its way. Live states are scheduled, waiting and pending; `parked` is a task that no live code can
 * read or run.
 */
export type TaskState = 'scheduled' | 'waiting' | 'pending' | 'succeeded' | 'dead' | 'cancelled' | 'parked';

/** Why a task is parked. An unknown job is taken up by the first runner that declares it. */
export type ParkReason = 'unknown-job' | 'unreadable' | 'invalid-params';

/** The phase in which a unique lock is held: see the README's part on unique jobs. */
export type LockPhase = 'until_executing' | 'while_executing' | 'until_executed' | 'until_completed';

/** What a store does with a task that meets a held lock. */
export type LockConflict = 'reject' | 'raise' | 'reschedule' | 'replace';

/** The lock of a unique task; the key is already hashed, so that params do not leak into key names. */
export interface TaskLock {
  readonly key: string;
  readonly phase: LockPhase;
  readonly onConflict: LockConflict;
  /** The lock of a task that has not started ends at its due time plus this. */
  readonly ttlMs?: number;
  /** How long a rescheduled task stays away. */
  readonly retryAfterMs?: number;
}

/** The name of a task: ids hold within one queue. */
export interface TaskRef {
  readonly queue: string;
  readonly id: string;
}

/** A moment said either from the store's now or as a point in time; the store's clock decides. */
export type StoreTime = { readonly inMs: number } | { readonly at: number };

/** A task as it is handed to the store. */
export interface NewTask extends TaskRef {
  /** Drawn at each enqueue: a repeat that meets its own token was stored by its first try. Equals `id` where the caller gave none. */
  readonly token: string;
  readonly job: string;
  /** The serialized params, kept byte for byte. */
  readonly params: string;
  /** What only the runner reads (per-task backoff, timeout …); opaque to the store. */
  readonly extra?: string;
  /** Lower first. */
  readonly priority: number;
  readonly due: StoreTime;
  /** Attempts allowed after the first. */
  readonly retries: number;
  /** A first attempt that has not begun by then is cancelled; `inMs` counts from the due time. */
  readonly expires?: StoreTime;
  /** How long the record stays after success. */
  readonly keepMs?: number;
  /** Whether a scheduled, waiting, parked or finished task of the same id gives way. */
  readonly replace?: boolean;
  readonly lock?: TaskLock;
  readonly scheduleId?: string;
  readonly slot?: number;
}

/** One failed or lost attempt. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly attempt: number;
  /** The store's time, in milliseconds. */
  readonly at: number;
  /** When the attempt was claimed, and by whom. */
  readonly startedAt?: number;
  readonly runner?: string;
}

/** A run that is over. */
export interface LastRun {
  /** When it was claimed. */
  readonly startedAt: number;
  /** When its outcome was stored, or its lease was found ended. */
  readonly endedAt: number;
  /** Unknown of a run that was offered after its lease had ended. */
  readonly runner?: string;
}

/** How many failures a record keeps: the latest. */
export const keptFailures = 100;

/** How far a task says that it is. */
export interface TaskProgress {
  /** From 0 to 100. */
  readonly percent: number;
  readonly note?: string;
}

/** A line that a handler wrote about its task. */
export interface TaskLine {
  /** By the clock of the process that ran it, in milliseconds. */
  readonly at: number;
  readonly message: string;
}

/** What a run says about its task while it goes on. */
export interface TaskNotes {
  readonly progress?: TaskProgress;
  /** Oldest first, at most `keptLines`. */
  readonly lines?: readonly TaskLine[];
}

/** How many lines a record keeps: the latest. */
export const keptLines = 100;

/** A task as the store holds it. */
export interface TaskRecord extends TaskRef {
  readonly job: string;
  readonly params: string;
  readonly extra?: string;
  readonly state: TaskState;
  readonly priority: number;
  readonly enqueuedAt: number;
  readonly dueAt: number;
  readonly expiresAt?: number;
  /** Claims that were not given back. */
  readonly attempt: number;
  /** Failed and lost attempts. */
  readonly failures: number;
  readonly retries: number;
  readonly keepMs?: number;
  readonly errors: readonly Failure[];
  /** The handler's result as JSON text, while a succeeded task is kept. */
  readonly result?: string;
  /** Why the task was cancelled or parked. */
  readonly reason?: string;
  /** What its runs have said; both outlast an attempt, and go when the task is replaced or started anew. */
  readonly progress?: TaskProgress;
  readonly lines?: readonly TaskLine[];
  readonly runner?: string;
  /** When the run that is under way was claimed. */
  readonly startedAt?: number;
  readonly leaseEndsAt?: number;
  readonly cancelRequested?: boolean;
  readonly finishedAt?: number;
  /** The run that a finished task ended with; none where it ended without one. */
  readonly lastRun?: LastRun;
  readonly lock?: TaskLock;
  readonly scheduleId?: string;
  readonly slot?: number;
}

/** About how much it holds of what can be large. */
export function sizeOf({ params, result = '', errors, lines = [] }: TaskRecord): number {
  let size = params.length + result.length;
  for (const { message, stack = '' } of errors) size += message.length + stack.length;
  for (const { message } of lines) size += message.length;
  return size;
}
