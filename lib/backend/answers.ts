/** What became of a task that was to be stored. */
export type Added =
  /** `existing`: the id is taken, nothing was changed. `dropped`: another task of the group stopped it. */
  | { readonly status: 'enqueued' | 'existing' | 'dropped' }
  /** `holder` is the task that was changed, where it is one that held the lock under another id. */
  | { readonly status: 'replaced'; readonly holder?: string }
  /** Another task holds the lock. */
  | { readonly status: 'rejected' | 'raised'; readonly holder: string };

/** A queue whose part of the store gave no answer. */
export interface Unanswered {
  readonly queue: string;
  readonly reason: Error;
}
