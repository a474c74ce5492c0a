export const apiVersion = 1;
export const tokenHeader = 'x-jobs-token';

/** `operate` acts on tasks, queues and schedules; `enqueue` makes tasks. Each includes `view`. */
export type DashboardRole = 'view' | 'operate' | 'enqueue';

export type TaskState = 'scheduled' | 'waiting' | 'pending' | 'succeeded' | 'dead' | 'cancelled' | 'parked';
export type StateCounts = Record<TaskState, number>;
export type TaskAction = 'retry' | 'runNow' | 'cancel' | 'remove';

/** The states in which a task can be dealt with so. */
export const statesForAction = {
  retry: ['dead', 'cancelled', 'parked'],
  runNow: ['scheduled'],
  cancel: ['scheduled', 'waiting', 'parked', 'pending'],
  remove: ['scheduled', 'waiting', 'parked', 'dead', 'cancelled', 'succeeded'],
} as const satisfies Record<TaskAction, readonly TaskState[]>;

/** Most of anything that one request may name or get. */
export const apiBounds = {
  /** Rows of a page. */
  pageSize: 200,
  /** Tasks that are named one by one. */
  ids: 500,
  /** Queues whose tasks in a state stand in one order; those of more stand group behind group. */
  queuesMerged: 25,
  /** Names in one field of a filter. */
  names: 100,
  textLength: 1_000,
  cursorLength: 12_000,
  bodyBytes: 1_048_576,
} as const;

/** What every answer outside 200…299 holds, but for those of the application's own guards and body parser. */
export interface ApiError {
  readonly error: {
    /** `STORE_UNAVAILABLE` (503): the store gives no answer. */
    readonly code: ApiErrorCode;
    /** A sentence that may be shown. */
    readonly message: string;
    /** What is wrong with params or with a field of the request. */
    readonly violations?: readonly FieldError[];
  };
}

export type ApiErrorCode =
  | 'INVALID_REQUEST'
  | 'INVALID_CURSOR'
  | 'INVALID_PARAMS'
  | 'FORBIDDEN'
  | 'CLOSED'
  | 'READ_ONLY'
  | 'CROSS_ORIGIN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'CONFLICT'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'BODY_TOO_LARGE'
  | 'TOO_MANY_STREAMS'
  | 'STORE_UNAVAILABLE'
  | 'SHUTTING_DOWN'
  | 'INTERNAL';

export interface FieldError {
  /** As in `items.0.name`; empty where it concerns the whole. */
  readonly path: string;
  readonly message: string;
}

/** Who asks, and what he may do. */
export interface Session {
  readonly apiVersion: number;
  /** What stands above the page. */
  readonly title: string;
  readonly user?: string;
  readonly roles: readonly DashboardRole[];
  readonly isReadOnly: boolean;
  /** To be sent in `x-jobs-token`. */
  readonly token: string;
  /** By the clock of the process that answers. */
  readonly answeredAt: number;
}

export interface Ref {
  readonly queue: string;
  readonly id: string;
}

export interface PageQuery {
  /** @default 50, at most 200 */
  readonly limit?: number;
  /** What the page before gave as `next`. */
  readonly after?: string;
}

export interface Progress {
  /** From 0 to 100. */
  readonly percent: number;
  readonly note?: string;
}
