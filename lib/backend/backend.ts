import type { Lease, Settled, Settlement, StoredError } from '../task/outcome.js';
import type { NewTask, TaskLock, TaskNotes, TaskRef } from '../task/task-record.js';
import type { Added, Unanswered } from './answers.js';
import type { CatalogStore } from './catalog-store.js';
import type { EventWire } from './event-wire.js';
import type { ScheduleStore } from './schedule-store.js';
import type { StatsStore } from './stats-store.js';
import type { TransactionStore } from './transaction-store.js';

export type { Added, Unanswered } from './answers.js';
export type { Acted, CatalogStore } from './catalog-store.js';

/**
 * An engine that keeps tasks. Whatever a method does to a task is one atomic step of the store; expected situations (existing,
 * rejected, lost) are results. A rejected promise means that the store could not answer, and whether the step was taken is
 * then unknown; no promise stays open for good.
 */
export interface Backend {
  /** What logs and the health report call it, without secrets. */
  readonly name: string;
  readonly tasks: TaskStore;
  readonly schedules: ScheduleStore;
  readonly catalog: CatalogStore;
  readonly stats: StatsStore;
  readonly bell: Bell;
  readonly events: EventWire;
  /** Absent where tasks cannot be part of a transaction of the application's. */
  readonly transactions?: TransactionStore;
  /** What a crash of the store's server may cost, once it is open; absent where there is no server. */
  readonly durability?: Durability;
  /** Connects and checks the server; rejects where it cannot be used. */
  open(settings: BackendSettings): Promise<void>;
  /** Releases what `open` took. Calls that are under way may still answer. */
  close(): Promise<void>;
  /**
   * Starts what renews leases also while the event loop is blocked. Without it, or where it answers nothing (and reports
   * why), the runner renews them itself.
   */
  guardLeases?(settings: LeaseGuardSettings): LeaseGuard | undefined;
}

/**
 * How soon what was acknowledged is on disk: never, from time to time, every second, before it is acknowledged; or the
 * server does not say.
 */
export type Durability = 'none' | 'snapshots' | 'everysec' | 'always' | 'unknown';

/** What a store must know for the transitions that no runner is part of. */
export interface BackendSettings {
  /** Redis key prefix or PostgreSQL schema. */
  readonly prefix: string;
  /** How long a task that ended dead or cancelled stays; Infinity keeps it. */
  readonly deadKeepMs: number;
  readonly cancelledKeepMs: number;
  /** How long an `add` that gets no answer may be repeated. */
  readonly enqueueTimeoutMs: number;
}

/**
 * The hot path. A step that makes work, or a due time, rings the bell of its queue. Where a store has several parts, and
 * one of them is silent, the others' answers are given all the same, with what is missing named; a promise rejects only
 * where nothing at all was answered.
 */
export interface TaskStore {
  /**
   * Which part of the store keeps a queue: callers of one part wait for each other's answers, and should not for those of
   * another. A store that is one part has none.
   */
  partOf?(queue: string): number;
  /**
   * From how many slots on a runner should have two exchanges under way, with half of the slots each: what an exchange costs
   * the store by itself decides. Where the store does not say: 8.
   */
  readonly isWideFrom?: number;
  /** Whether somebody else may keep a group waiting for long: then no other waits for its answer. */
  mayBeHeld?(group: readonly NewTask[]): boolean;
  /**
   * Stores tasks. Each group is stored whole or not at all, groups do not depend on each other; ids and locks are taken
   * in the same step. A `raised` conflict (a lock with `onConflict: 'raise'`) stores nothing of its group, whose other
   * tasks answer `dropped`. An error stands for a group that could not be stored, or of which that is not known.
   */
  add(groups: readonly (readonly NewTask[])[]): Promise<(Added[] | Error)[]>;
  /**
   * Takes the best due tasks: promotes due work first (oldest first, at most 1,000 per queue), recovers expired leases,
   * then claims by priority, due time and arrival. Between queues: round robin from a rotating start, leftovers go round
   * again. A paused queue gives nothing.
   */
  claim(request: ClaimRequest): Promise<Claim>;
  /**
   * Writes outcomes, in order; an outcome whose epoch is no longer the task's changes nothing and answers `lost`. A task that
   * was asked to stop ends `cancelled`, unless it succeeded. What is `unanswered` may be written or not: it is to be offered
   * again, as a repeat. What is `held` was not written, since a transaction of somebody's has the task in hand, for as long as
   * it likes: it is to be offered again as it was, after a while.
   */
  settle(settlements: readonly Settlement[]): Promise<Settled[]>;
  /** Prolongs leases by `leaseMs` from the store's now. */
  renew(leases: readonly Lease[], leaseMs: number): Promise<Renewal>;
  /**
   * Writes down what running tasks have said since the last time: the progress replaces the one before, lines are added, of
   * which the latest `keptLines` stay. Fenced: what is no longer this runner's is left alone. Changes nothing else.
   */
  annotate(notes: readonly (Lease & { readonly notes: TaskNotes })[]): Promise<void>;
  /**
   * Puts tasks of these jobs that another definition has parked back to waiting, as they were and at no attempt's cost; at
   * most 1,000 per call. Meant for a runner's start: asked again and again, two versions of a job would send its tasks to
   * and fro. A call that gives `after` goes on where that answer ended, and leaves alone what the same definition has parked again since.
   */
  unpark(queue: string, definitions: readonly JobFingerprint[], after?: string): Promise<Unparked>;
}

export interface ClaimRequest {
  readonly queues: readonly { readonly queue: string; readonly limit: number }[];
  /** Most tasks in all. */
  readonly limit: number;
  readonly leaseMs: number;
  /** Who claims: stored with the task. */
  readonly runner: string;
  /** Tasks parked as `unknown-job` with one of these names are taken, too. */
  readonly declares?: readonly string[];
  /**
   * After a claim whose answer was lost: all that this runner knows to hold. What the store holds beyond that in its name,
   * in the asked queues, goes back to waiting and costs no attempt.
   */
  readonly holding?: readonly TaskRef[];
}

export interface Claim {
  readonly tasks: ClaimedTask[];
  /** Per asked queue, in order: milliseconds until there may be work again; 0 if there may be some now; Infinity if only a bell can tell. */
  readonly nextInMs: number[];
  /** What became of runs whose leases had ended; absent where there were none. Nobody else will tell of them. */
  readonly recovered?: readonly RecoveredRun[];
  /** The queues whose part of the store gave no answer: it may have claimed tasks of them, and their `nextInMs` says nothing. */
  readonly unanswered?: readonly Unanswered[];
  /** The slots of the outcomes that went along can be filled again, though `settle` may answer later: it waits for the disk. */
  readonly freesSlots?: boolean;
}

/** A run that ended with its lease: its process died, or was cut off. */
export interface RecoveredRun extends Lease {
  readonly job: string;
  readonly attempt: number;
  readonly dueAt: number;
  /** Who had it. */
  readonly runner: string;
  /** When that was found, by the store's clock. */
  readonly at: number;
  /** What became of the task: `lost` ones run again. */
  readonly outcome: 'lost' | 'dead' | 'cancelled';
  /** What was written down as the failure of this attempt; none where it was cancelled. */
  readonly error?: StoredError;
  readonly scheduleId?: string;
  readonly slot?: number;
}

/** A task with a lease on it, as a runner gets it. */
export interface ClaimedTask extends Lease {
  readonly job: string;
  readonly params: string;
  readonly extra?: string;
  readonly priority: number;
  readonly enqueuedAt: number;
  readonly dueAt: number;
  /** Counts this claim. */
  readonly attempt: number;
  readonly failures: number;
  readonly retries: number;
  readonly keepMs?: number;
  readonly scheduleId?: string;
  readonly slot?: number;
  readonly lock?: TaskLock;
  /** A `while_executing` lock is held by this other task: the run must not begin. */
  readonly conflictsWith?: string;
}

export interface Renewal {
  /** No longer this runner's: the handler's signal must abort. */
  readonly lost: Lease[];
  /** Asked to stop; the lease was prolonged all the same. */
  readonly cancelled: Lease[];
  /** Of these it is not known whether they were prolonged. */
  readonly unanswered?: readonly Lease[];
}

export interface LeaseGuardSettings {
  /** Those whose leases will be held. */
  readonly queues: readonly string[];
  readonly leaseMs: number;
  /** An event loop that has given no sign of life for longer is no longer covered. */
  readonly blockedLimitMs: number;
  /** No longer this runner's. */
  readonly lost: (lease: Lease) => void;
  /** Asked to stop; the lease was prolonged all the same. */
  readonly cancelled: (lease: Lease) => void;
  /** For the log: what keeps it from renewing, and that it does so again. */
  readonly report: (message: string) => void;
}

/** Renews leases apart from the event loop. No method waits for the store; who holds much, often, pays little. */
export interface LeaseGuard {
  /** Renews the lease until `release`; answers the number by which the guard knows it until then. */
  hold(lease: Lease): number;
  release(row: number): void;
  /** After this time the lease is not renewed by a blocked event loop any more; Infinity: there is no such time. */
  limit(row: number, afterMs: number): void;
  /** How long ago the latest renewal was asked for that the store has granted; Infinity: none was yet. */
  renewedAgoMs(row: number): number;
  /**
   * Asks it whether it is at work. Rejects, with why in a sentence, where it has ended, gives no answer in time, or cannot renew.
   */
  check(withinMs: number): Promise<void>;
  /** A sign of life of the event loop: to be given six times per lease while something is held. */
  alive(): void;
  /** Ends it, whatever it waits for. Never rejects. */
  stop(): Promise<void>;
}

/** A job as a process defines it: the fingerprint changes with what its params must be. */
export interface JobFingerprint {
  readonly job: string;
  readonly fingerprint: string;
}

export interface Unparked {
  readonly count: number;
  /** There may be more: the next call begins here. */
  readonly after?: string;
}

/** A hint that there is work. Losing one costs at most a sweep. */
export interface Bell {
  /** Whether no ring can be lost; a runner then needs no sweep. */
  readonly lossless: boolean;
  /** Tells of work, or of a task that is asked to stop. Never rejects and never throws. */
  ring(queue: string, cancelledId?: string): void;
  /** Calls `wake` after each ring of these queues until the returned function is called. */
  listen(queues: readonly string[], wake: (queue: string, cancelledId?: string) => void): Promise<() => void>;
  /** Calls `wake` after each step that may have brought a slot of these queues nearer, until the returned function is called. */
  listenToSchedules(queues: readonly string[], wake: (queue: string) => void): Promise<() => void>;
}
