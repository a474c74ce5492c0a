import type { ClaimedTask } from '../backend/backend.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { Clock } from '../task/clock.js';
import { lineOf } from '../task/stored-error.js';
import type { TaskRef } from '../task/task-record.js';

/** The lines about a task's way, one per event. Params are never among them. */
export class TaskLog {
  constructor(
    private readonly log: JobsLog,
    private readonly clock: Clock,
  ) {}

  started({ job, id, attempt, retries }: ClaimedTask): void {
    if (!this.log.writes('log')) return;
    const again = attempt > 1 ? `, attempt ${attempt} of ${retries + 1}` : '';
    this.log.write('log', job, `task ${id} started${again}`);
  }

  succeeded({ job, id }: ClaimedTask, startedAt: number): void {
    if (!this.log.writes('log')) return;
    this.log.write('log', job, `task ${id} succeeded in ${this.since(startedAt)}`);
  }

  /** Without a delay there is no further attempt. */
  failed(
    { job, id, attempt, retries }: ClaimedTask,
    startedAt: number,
    error: unknown,
    delayMs?: number,
  ): void {
    const what = `task ${id} failed in ${this.since(startedAt)} (attempt ${attempt} of ${retries + 1}): ${lineOf(error)}`;
    if (delayMs === undefined) this.log.write('error', job, `${what}; it is dead`, error);
    else
      this.log.write(
        'warn',
        job,
        `${what}; it runs again in ${readable(delayMs)}, at ${new Date(this.clock.now() + delayMs).toISOString()}`,
      );
  }

  snoozed({ job, id }: ClaimedTask, delayMs: number): void {
    if (this.log.writes('log')) this.log.write('log', job, `task ${id} snoozed for ${readable(delayMs)}`);
  }

  cancelled({ job, id }: ClaimedTask): void {
    this.log.write('log', job, `task ${id} was cancelled`);
  }

  /** Not unique at its run: it is not begun. */
  rejected({ job, id }: ClaimedTask, holder: string): void {
    this.log.write('warn', job, `task ${id} is cancelled: task ${holder} holds its lock`);
  }

  rescheduled({ job, id }: ClaimedTask, holder: string, delayMs: number): void {
    if (!this.log.writes('log')) return;
    this.log.write('log', job, `task ${id} waits ${readable(delayMs)}: task ${holder} holds its lock`);
  }

  parked({ job, id, queue }: ClaimedTask, reason: string, why: string): void {
    this.log.write('warn', job, `task ${id} of queue ${queue} is parked (${reason}): ${why}`);
  }

  /** Parked tasks that are to be tried by another definition of their job. */
  unparked(queue: string, count: number): void {
    const tasks = count === 1 ? 'a parked task' : `${count} parked tasks`;
    this.log.write('log', 'JobRunner', `${tasks} of queue ${queue} will be tried again: the job has changed`);
  }

  handedBack({ job, id }: ClaimedTask): void {
    this.log.write('log', job, `task ${id} was handed back`);
  }

  lost(job: string, { id }: TaskRef): void {
    this.log.write('warn', job, `task ${id}: its lease was lost, the outcome of this run does not count`);
  }

  private since(startedAt: number): string {
    return readable(Math.round(this.clock.elapsed() - startedAt));
  }
}

function readable(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}
