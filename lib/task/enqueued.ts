declare const result: unique symbol;

/** What became of an enqueue. `R` is what the task will result in, for `JobQueue.result`. */
export interface Enqueued<R = unknown> {
  readonly [result]?: R;
  /** The stored task's id. */
  readonly id: string;
  readonly queue: string;
  /**
   * `existing`: a task of this id was there, nothing changed. `replaced`: it was, and gave way. `rejected`: another task
   * holds the unique lock. `vetoed`: a `beforeEnqueue` hook said no.
   */
  readonly status: 'enqueued' | 'existing' | 'replaced' | 'rejected' | 'vetoed';
  /** The task that holds the lock. */
  readonly holder?: string;
}
