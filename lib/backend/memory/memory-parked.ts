import type { JobFingerprint } from '../backend.js';
import type { MemoryTask } from './memory-task.js';

/** Tasks that were parked, each with its number in the order of parking. */
type Places = Map<MemoryTask, number>;

const nobodys = '';

/** The parked tasks of a queue, by job and by the fingerprint of the definition that could not take them. */
export class MemoryParked {
  private readonly byJob = new Map<string, Map<string, Places>>();
  private places = 0;

  /** The place of the one that was parked last. */
  get latest(): number {
    return this.places;
  }

  add(task: MemoryTask, fingerprint = nobodys): void {
    // Without a fingerprint it cannot be told whether another definition would take it.
    if (fingerprint === nobodys && task.reason !== 'unknown-job') return;
    const { job } = task.given;
    let byFingerprint = this.byJob.get(job);
    if (!byFingerprint) this.byJob.set(job, (byFingerprint = new Map<string, Places>()));
    let tasks = byFingerprint.get(fingerprint);
    if (!tasks) byFingerprint.set(fingerprint, (tasks = new Map()));
    tasks.set(task, ++this.places);
  }

  delete(task: MemoryTask): void {
    const { job } = task.given;
    const byFingerprint = this.byJob.get(job);
    for (const [fingerprint, tasks] of byFingerprint ?? [])
      if (tasks.delete(task) && tasks.size === 0) byFingerprint!.delete(fingerprint);
    if (byFingerprint?.size === 0) this.byJob.delete(job);
  }

  /** The one that was parked first, of the first of these jobs that nobody knew. */
  firstUnknown(jobs: readonly string[]): MemoryTask | undefined {
    if (this.byJob.size === 0) return undefined;
    for (const job of jobs) for (const [task] of this.byJob.get(job)?.get(nobodys) ?? []) return task;
    return undefined;
  }

  /** Those of these jobs that other definitions have parked, up to a place. They may be taken out on the way. */
  *byOthers(definitions: readonly JobFingerprint[], until: number): Iterable<MemoryTask> {
    for (const { job, fingerprint } of definitions)
      for (const [other, tasks] of this.byJob.get(job) ?? [])
        if (other !== nobodys && other !== fingerprint)
          for (const [task, place] of tasks) if (place <= until) yield task;
  }
}
