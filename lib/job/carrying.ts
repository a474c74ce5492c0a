import type { TaskInTheMaking } from '../task/build-task.js';

/** What travels with a task beside its params, and is found again around its run. */
export interface Carrying {
  /** The application's context at an enqueue, as JSON text; undefined: there is none. Throws where it cannot be had. */
  capture(job: string): string | undefined;
  /** Undefined while nobody traces. */
  readonly tracing: EnqueueTracing | undefined;
}

/** Puts a span around an enqueue, and writes into the tasks where it is to be found. */
export interface EnqueueTracing {
  enqueue<T extends { readonly status: string }>(
    how: 'enqueue' | 'schedule',
    task: TaskInTheMaking,
    store: () => Promise<T>,
  ): Promise<T>;
  enqueueAll<T>(tasks: readonly TaskInTheMaking[], store: () => Promise<T>): Promise<T>;
}
