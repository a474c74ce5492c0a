import type { TaskEvent } from '../task/task-event.js';

export type TaskListener = (event: TaskEvent) => void;

/** Tells whoever wants to know what happens to tasks in this process. A listener that throws harms nobody. */
export class TaskEvents {
  private listeners: readonly TaskListener[] = [];

  constructor(private readonly report: (error: unknown) => void) {}

  /** Whether anybody listens: ask before making an event on a hot path. */
  get isHeard(): boolean {
    return this.listeners.length > 0;
  }

  listen(listener: TaskListener): () => void {
    this.listeners = [...this.listeners, listener];
    return () => (this.listeners = this.listeners.filter((other) => other !== listener));
  }

  emit(event: TaskEvent): void {
    for (const listener of this.listeners)
      try {
        listener(event);
      } catch (error) {
        this.report(error);
      }
  }
}
