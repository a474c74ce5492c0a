import type { TaskEvent } from '../../task/task-event.js';

interface Running {
  readonly job: string;
  readonly queue: string;
  count: number;
}

/** How many tasks run in this process, by what is told of them. A job and queue that had one stays, with 0. */
export class RunningTasks {
  private readonly running = new Map<string, Running>();
  private readonly counts = new Map<string, Running>();

  /** `job` and `queue` are the names by which it is counted. */
  hear(event: TaskEvent, job: string, queue: string): void {
    if (event.type === 'enqueued') return;
    // By the attempt, too: one whose lease was lost may end when the next has begun.
    const name = `${event.queue}\n${event.id}\n${event.attempt}`;
    const begun = this.running.get(name);
    if (event.type === 'started' && !begun) {
      const counted = this.counted(job, queue);
      counted.count++;
      this.running.set(name, counted);
    } else if (event.type !== 'started' && begun) {
      begun.count--;
      this.running.delete(name);
    }
  }

  all(): Iterable<Readonly<Running>> {
    return this.counts.values();
  }

  private counted(job: string, queue: string): Running {
    const name = `${queue}\n${job}`;
    let counted = this.counts.get(name);
    if (!counted) this.counts.set(name, (counted = { job, queue, count: 0 }));
    return counted;
  }
}
