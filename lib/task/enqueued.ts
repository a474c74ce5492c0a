/** What became of an enqueue. */
export interface Enqueued {
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
