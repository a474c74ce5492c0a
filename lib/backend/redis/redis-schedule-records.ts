import type { Advance, Advanced, NewSchedule, ScheduleRecord } from '../schedule-store.js';
import { addedOf } from './redis-add.js';
import { taskArguments } from './redis-records.js';

/** The values by which a script tells of a schedule. */
export const valuesPerSchedule = 6;

/** Reads them: id, head, lastTask, job, rule, template. The head is described in lua/read-schedules.lua. */
export function readSchedule(queue: string, reply: readonly unknown[], at: number): ScheduleRecord {
  const [id, head, lastTask, job, rule, template] = reply.slice(at, at + valuesPerSchedule) as string[];
  const [nextSlot, firstSlot, lastSlot, fired, skipped, isPaused, declaredAt, version] = head!.split('|');
  return {
    queue,
    id: id!,
    job: job!,
    rule: rule!,
    template: template!,
    firstSlot: Number(firstSlot),
    nextSlot: Number(nextSlot),
    lastSlot: lastSlot ? Number(lastSlot) : undefined,
    lastTask: lastTask || undefined,
    fired: Number(fired),
    skipped: Number(skipped),
    isPaused: isPaused === '1',
    version: Number(version),
    declaredAt: declaredAt ? Number(declaredAt) : undefined,
  };
}

/** The arguments by which lua/put-schedule.lua is told of a schedule, behind the word that says when to put it. */
export function scheduleArguments(schedule: NewSchedule): (string | number)[] {
  const { id, nextSlot, isDeclared, job, rule, template } = schedule;
  const { firstSlot = '', lastSlot = '', isPaused } = schedule;
  const given = [id, nextSlot, isDeclared ? 1 : 0, job, rule, template];
  return [...given, firstSlot, lastSlot, isPaused ? 1 : 0];
}

/** The ten arguments by which lua/advance.lua is told of a step. */
export function advanceArguments(step: Advance): (string | number)[] {
  const { id, slot, version, nextSlot, passes, task, overlap, skipped } = step;
  const given = task ? taskArguments(task) : ['', '', ''];
  return [id, slot, version, nextSlot ?? '', passes, overlap, skipped, ...given];
}

/** Reads the four values of its answer. */
export function readAdvanced(step: Advance, reply: readonly string[], at: number): Advanced {
  const [status, letter, other, overlaps] = reply.slice(at, at + 4);
  if (status === 'l') return { status: 'lost' };
  return {
    status: 'advanced',
    ...(letter ? { added: addedOf(step.task!, letter, [other!]) } : {}),
    ...(overlaps ? { overlaps } : {}),
  };
}
