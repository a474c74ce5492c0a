import type { ParamsField, ParamsSchema } from '../../catalog/params-fields.js';
import type { FieldError, Ref } from './basics.js';

export interface JobList {
  readonly jobs: readonly JobRow[];
}

export interface JobRow {
  readonly name: string;
  readonly queues: readonly string[];
  /** What its runs came to, as far as runners have told. */
  readonly succeeded: number;
  readonly failed: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly lost: number;
  readonly meanRunMs?: number;
  readonly meanWaitMs?: number;
  readonly lastRunAt?: number;
  readonly lastFailureAt?: number;
  /** The latest failure, in a line. */
  readonly lastError?: string;
  /** Whether this process knows it. */
  readonly isProvided: boolean;
  /** Whether `jobs/enqueue` takes it. */
  readonly isEnqueuable: boolean;
  readonly schedules: number;
}

export interface JobDetails extends JobRow {
  /** Some of its schedules. */
  readonly someSchedules: readonly Ref[];
  /** What a form asks for; left out where it cannot be enqueued here. */
  readonly form?: JobForm;
}

/** Without `fields` any JSON may be tried, but where `source` is `none` there are no params. */
export interface JobForm {
  readonly source: ParamsSchema['source'];
  readonly fields?: readonly ParamsField[];
}

export interface EnqueueRequest {
  readonly job: string;
  readonly params?: unknown;
  readonly options?: EnqueueChoices;
}

/** Durations are milliseconds or text, as in `5m`. */
export interface EnqueueChoices {
  readonly id?: string;
  readonly queue?: string;
  readonly in?: string | number;
  /** Milliseconds since 1970. */
  readonly at?: number;
  readonly priority?: number;
  readonly retries?: number;
  readonly timeout?: string | number;
  readonly keep?: string | number;
}

export interface ParamsCheck {
  /** Empty where nothing is wrong. */
  readonly violations: readonly FieldError[];
}

export interface EnqueueAnswer extends Ref {
  /** `existing`: a task of this id was there. `rejected`: another task holds the unique lock. `vetoed`: a hook said no. */
  readonly status: 'enqueued' | 'existing' | 'replaced' | 'rejected' | 'vetoed';
  /** The task that holds the lock. */
  readonly holder?: string;
}
