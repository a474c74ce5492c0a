import type { TaskEvent } from '../../task/task-event.js';
import { LabelBounds } from './label-bounds.js';
import { mostQueues } from './queue-glances.js';
import { RunningTasks } from './running-tasks.js';
import { Counter, Histogram, type Family } from './series.js';

/** Upper bounds of what durations are counted by, in seconds: work of milliseconds and work of an hour. */
export const secondsBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600,
];

/** Jobs beyond these, as parked ones of other applications may be, are counted as one. */
export const mostJobs = 500;

const names = {
  enqueued: 'nestjs_jobs_tasks_enqueued_total',
  outcomes: 'nestjs_jobs_task_outcomes_total',
  duration: 'nestjs_jobs_task_duration_seconds',
  wait: 'nestjs_jobs_task_wait_seconds',
  running: 'nestjs_jobs_tasks_running',
};

/** What has happened to tasks in this process since it began to listen. */
export class TaskMetrics {
  private readonly bounds = new LabelBounds(mostJobs, mostQueues);
  private readonly enqueued = new Counter();
  private readonly outcomes = new Counter();
  private readonly duration: Histogram;
  private readonly wait: Histogram;
  private readonly running = new RunningTasks();

  constructor(buckets: readonly number[]) {
    this.duration = new Histogram(names.duration, buckets);
    this.wait = new Histogram(names.wait, buckets);
  }

  hear(event: TaskEvent): void {
    const job = this.bounds.job(event.job);
    const queue = this.bounds.queue(event.queue);
    this.running.hear(event, job, queue);
    if (event.type === 'enqueued') return this.enqueued.add({ job, queue });
    if (event.type === 'started') return this.wait.record(event.waitMs / 1_000, { job, queue });
    const labels = { job, queue, outcome: event.type };
    this.outcomes.add(labels);
    if (event.type === 'succeeded' || event.type === 'failed')
      this.duration.record(event.runMs / 1_000, labels);
  }

  families(): Family[] {
    const running = Array.from(this.running.all(), ({ job, queue, count }) => ({
      labels: { job, queue },
      value: count,
    }));
    return [
      {
        name: names.enqueued,
        help: 'Tasks that this process has enqueued.',
        type: 'counter',
        samples: this.enqueued.samples(),
      },
      {
        name: names.outcomes,
        help: 'What attempts ended in. A task that dies counts as failed and as dead, one that killed its process as dead.',
        type: 'counter',
        samples: this.outcomes.samples(),
      },
      {
        name: names.duration,
        help: 'How long attempts took that succeeded or failed.',
        type: 'histogram',
        samples: this.duration.samples(),
      },
      {
        name: names.wait,
        help: 'From the time a task was due to its start.',
        type: 'histogram',
        samples: this.wait.samples(),
      },
      { name: names.running, help: 'Tasks that run in this process.', type: 'gauge', samples: running },
    ];
  }
}
