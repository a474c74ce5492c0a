import type { Duration } from '../task/duration.js';
import type { Task } from '../task/task.js';

type MaybePromise<T> = T | Promise<T>;

/** Methods that are called around a task: on a job class for its own tasks, on a `@JobHooks()` provider for all. */
export interface TaskHooks<P = unknown, In = P> {
  /** `false` vetoes: nothing is stored and the call answers `vetoed`. Throwing rejects the enqueue. */
  beforeEnqueue?(task: Task<P, In>): MaybePromise<void | boolean>;
  /** `success` is true when this call stored the task. A throw is logged and changes nothing. */
  afterEnqueue?(success: boolean, task: Task<P, In>): MaybePromise<void>;
  /** Throwing fails the attempt. */
  beforeRun?(task: Task<P, In>): MaybePromise<void>;
  /**
   * Called while the task is still this runner's, so that what it enqueues survives a crash; `task.willRetry`,
   * `task.error` and `task.result` tell more. A throw is logged and changes nothing.
   */
  afterRun?(success: boolean, task: Task<P, In>): MaybePromise<void>;
}

/** What a job class is. `P` is what `run` gets, `In` what `enqueue` takes where a schema turns one into the other. */
export interface JobHandler<P = void, R = unknown, In = P> extends TaskHooks<P, In> {
  run(params: P, task: Task<P, In>): MaybePromise<R>;
  /** The delay after the n-th failure; wins over `backoff`. */
  retryDelay?(failures: number, error: unknown): MaybePromise<Duration>;
  /** Whether to try again, within `retries`. */
  shouldRetry?(failures: number, error: unknown): MaybePromise<boolean>;
  /** What makes two tasks of a unique job the same; wins over `unique.by`. */
  uniqueBy?(params: P): unknown;
}

/** A class with a `run` method. */
export type JobClass = abstract new (...args: never[]) => { run: (...args: never[]) => unknown };

type RunArguments<J extends JobClass> = InstanceType<J>['run'] extends (...args: infer A) => unknown
  ? A
  : never;

/** What `enqueue` takes for a job: the input its `Task` names, else what `run` takes. */
export type ParamsOf<J extends JobClass> =
  RunArguments<J> extends []
    ? undefined
    : RunArguments<J> extends [unknown?, (infer T)?, ...unknown[]]
      ? InputNamedBy<T, RunArguments<J>[0]>
      : never;

type InputNamedBy<T, P> = T extends Task<unknown, infer In> ? (unknown extends In ? P : In) : P;

/** Params may be left out only where `run` can do without. */
export type EnqueueArguments<J extends JobClass, Options> =
  undefined extends ParamsOf<J>
    ? [params?: ParamsOf<J>, options?: Options]
    : [params: ParamsOf<J>, options?: Options];
