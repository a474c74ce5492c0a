import type { TaskInTheMaking } from '../task/build-task.js';
import type { Mask } from '../task/redact-text.js';

/** What travels with a task beside its params, and is found again around its run. */
export interface Carrying {
  /** The application's context at an enqueue, as JSON text; undefined: there is none. Throws where it cannot be had. */
  capture(job: string): string | undefined;
  /** Undefined while nobody traces. */
  readonly tracing: EnqueueTracing | undefined;
}

/** Puts a span around an enqueue, and writes into the tasks where it is to be found. What an error of it says is masked. */
export interface EnqueueTracing {
  enqueue<T extends { readonly status: string }>(
    how: 'enqueue' | 'schedule',
    task: TaskInTheMaking,
    mask: Mask,
    store: () => Promise<T>,
  ): Promise<T>;
  enqueueAll<T>(tasks: readonly TaskInTheMaking[], mask: Mask, store: () => Promise<T>): Promise<T>;
}
