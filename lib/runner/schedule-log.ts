import type { Advanced, ScheduleRecord } from '../backend/schedule-store.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { Step } from './due-schedule.js';

/** The lines about a schedule's way. */
export class ScheduleLog {
  constructor(private readonly log: JobsLog) {}

  advanced(
    { job, id, queue }: ScheduleRecord,
    { task, skipped, overlap }: Step,
    { added, overlaps }: Advanced & { status: 'advanced' },
  ): void {
    const slot = task?.slot === undefined ? '' : new Date(task.slot).toISOString();
    const say = (level: 'warn' | 'log', what: string) =>
      this.log.write(level, job, `schedule ${id}: ${what}`, undefined, { scheduleId: id, job, queue });
    if (skipped > 0) say('warn', `${count(skipped, 'missed slot')} passed over`);
    if (added?.status === 'rejected' || added?.status === 'raised')
      say('log', `slot ${slot} is skipped, task ${added.holder} holds its lock`);
    if (overlaps !== undefined && overlap === 'skip')
      say('log', `slot ${slot} is skipped, task ${overlaps} is not finished`);
    if (overlaps !== undefined && overlap === 'replace')
      say('log', `slot ${slot} replaces task ${overlaps}, which is cancelled`);
  }

  /** Said once for each: it is met at every slot. */
  unreadable({ job, id, queue }: ScheduleRecord): void {
    this.log.write(
      'warn',
      job,
      `schedule ${id} of queue ${queue} cannot be read by this version; it is left to others`,
      undefined,
      { scheduleId: id, job, queue },
    );
  }
}

function count(number: number, what: string): string {
  return number === 1 ? `a ${what} was` : `${number} ${what}s were`;
}
