import type { MemoryTask } from './memory-task.js';

/** The tasks of a queue that are parked because nobody knew their job, by its name. */
export class UnknownJobs {
  private readonly byJob = new Map<string, Set<MemoryTask>>();

  add(task: MemoryTask): void {
    const { job } = task.given;
    const tasks = this.byJob.get(job);
    if (tasks) tasks.add(task);
    else this.byJob.set(job, new Set([task]));
  }

  delete(task: MemoryTask): void {
    const { job } = task.given;
    const tasks = this.byJob.get(job);
    if (tasks?.delete(task) && tasks.size === 0) this.byJob.delete(job);
  }

  /** The one that was parked first, of the first of these jobs that has any. */
  first(jobs: readonly string[]): MemoryTask | undefined {
    if (this.byJob.size === 0) return undefined;
    for (const job of jobs) for (const task of this.byJob.get(job) ?? []) return task;
    return undefined;
  }
}
