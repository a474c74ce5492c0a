import type { PageQuery, Progress, Ref, TaskAction, TaskState } from './basics.js';

/** As a query each list is the name repeated: `state=dead&state=parked`. */
export interface TaskFilter {
  readonly state?: readonly TaskState[];
  readonly queue?: readonly string[];
  readonly job?: readonly string[];
  /** From this moment on: when the task ended, else when it is due. */
  readonly from?: number;
  /** Before this moment. */
  readonly to?: number;
  /** Somewhere in its id, job, params, errors or reason. */
  readonly text?: string;
  /** The `error` of a failure group. */
  readonly error?: string;
}

export interface TaskQuery extends TaskFilter, PageQuery {
  /** `true`: the other way round; of finished tasks those that stay longest first, as a rule the latest. @default false */
  readonly backwards?: boolean;
}

export interface TaskList {
  readonly tasks: readonly TaskRow[];
  /** There may be more, also where this page is short or empty. */
  readonly next?: string;
  /** False: the search stopped before the page was full; what it has not looked at yet is behind `next`. */
  readonly isComplete: boolean;
}

/** A task in a list. */
export interface TaskRow extends Ref {
  readonly job: string;
  readonly state: TaskState;
  /** Lower first. */
  readonly priority: number;
  readonly attempt: number;
  /** Failed and lost attempts. */
  readonly failures: number;
  /** Attempts allowed after the first. */
  readonly retries: number;
  readonly enqueuedAt: number;
  readonly dueAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** How long the run that is under way has lasted. */
  readonly runningMs?: number;
  readonly runner?: string;
  readonly progress?: Progress;
  /** It is asked to stop. */
  readonly isCancelRequested: boolean;
  readonly scheduleId?: string;
  /** The latest error, in a line. */
  readonly error?: string;
  /** Why it was cancelled or parked. */
  readonly reason?: string;
  /** The beginning of its params, as text. */
  readonly params: string;
}

/** A task with all that may be shown of it. */
export interface TaskDetails extends Omit<TaskRow, 'params' | 'error'> {
  readonly params: Content;
  /** While a succeeded task is kept. */
  readonly result?: Content;
  /** The latest 100 failed and lost attempts, oldest first. */
  readonly errors: readonly TaskError[];
  /** The run that a finished task ended with; none where it ended without one. */
  readonly lastRun?: LastRun;
  /** The latest 100 lines of its log, oldest first, by the clock of the process that ran it. */
  readonly lines: readonly { readonly at: number; readonly message: string }[];
  readonly lock?: TaskLock;
  /** The moment of its schedule that it was made for. */
  readonly slot?: number;
  readonly expiresAt?: number;
  readonly leaseEndsAt?: number;
  /** From due time to the start of the run that is under way. */
  readonly waitedMs?: number;
  /** How long it stays after success. */
  readonly keepMs?: number;
  /** Of the trace in which it was enqueued. */
  readonly traceId?: string;
  /** What else was stored with it: a backoff of its own, a timeout. */
  readonly extra?: Content;
  /** What the one who asks may do with it in its state. */
  readonly actions: readonly TaskAction[];
}

/** A JSON value. Of what is no JSON, or too large to be shown, the beginning is given as text. */
export type Content =
  | { readonly json: unknown; readonly bytes: number }
  | { readonly text: string; readonly bytes: number; readonly isCut: boolean };

export interface TaskError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly attempt: number;
  readonly at: number;
  /** When the attempt was claimed. */
  readonly startedAt?: number;
  /** From then on until the failure was stored. */
  readonly runMs?: number;
  readonly runner?: string;
}

/** A run that is over. */
export interface LastRun {
  /** When it was claimed. */
  readonly startedAt: number;
  /** When its outcome was stored, or its lease was found ended. */
  readonly endedAt: number;
  /** From the one to the other. */
  readonly runMs: number;
  readonly runner?: string;
}

export interface TaskLock {
  /** A hash. */
  readonly key: string;
  readonly phase: string;
  readonly onConflict: string;
  readonly ttlMs?: number;
  /** The id of the task that holds it now, in the same queue. */
  readonly holder?: string;
}

/** Some tasks, at most 500, or all that a filter means, which must then name states in which the action is possible. */
export type Which = { readonly refs: readonly Ref[] } | { readonly filter: TaskFilter };

export interface TaskPreviewRequest {
  readonly action: TaskAction;
  readonly which: Which;
  /** What the request before gave as `next`: the filter must be the same. */
  readonly after?: string;
}

/** How many tasks would be dealt with, of those behind `after`. Nothing happens. */
export interface TaskPreview {
  readonly count: number;
  /** False: at least so many; there are more than can be counted in one request. */
  readonly isComplete: boolean;
  /** From here on the others can be counted. */
  readonly next?: string;
  /** Where a filter names them: when it was counted, by the store's clock. Handed to `tasks/act`, it leaves alone what came later. */
  readonly asOf?: number;
}

export interface TaskActRequest extends TaskPreviewRequest {
  /** Most tasks that this request deals with, where a filter names them. @default 10,000, which is the most */
  readonly limit?: number;
  /** What the request before gave as `next`: the filter must be the same, and none is meant that came in since the first. */
  readonly after?: string;
  /** What the first preview gave: tasks that came to where they are after it are left alone. @default now */
  readonly asOf?: number;
}

/** What became of them. */
export interface TaskActed {
  readonly done: number;
  /** Running ones that were asked to stop. */
  readonly requested: number;
  /** Left alone: in a state in which this cannot be done, or no longer in the state that was named. */
  readonly left: number;
  /** Left alone: their lock or id belongs to another task by now. */
  readonly taken: number;
  readonly missing: number;
  /** There may be more: go on with `after`. */
  readonly next?: string;
}

export interface FailureList {
  /** The largest first. */
  readonly groups: readonly FailureGroup[];
  /** How many dead tasks they hold. */
  readonly count: number;
  /** False: there are more dead tasks than were looked at; the latest were. */
  readonly isComplete: boolean;
  /** The others are behind it. They may be of the same groups: whoever wants all adds them up. */
  readonly next?: string;
}

export interface FailureQuery extends Omit<TaskFilter, 'state'> {
  readonly after?: string;
}

/** Dead tasks of a job that ended with the same error: `{ state: ['dead'], job: [job], error }` is a filter for them. */
export interface FailureGroup {
  readonly job: string;
  /** Name and message, ids and numbers as `#`. */
  readonly error: string;
  readonly count: number;
  readonly queues: readonly string[];
  readonly firstAt: number;
  readonly lastAt: number;
  /** The latest of them. */
  readonly sample: Ref;
}
