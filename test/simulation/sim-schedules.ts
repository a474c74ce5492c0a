import type { Advance, Advanced, DueSchedules, ScheduleStore } from '../../lib/backend/schedule-store.js';
import type { Unanswered } from '../../lib/backend/backend.js';
import type { Line } from './sim-backend.js';

/** The schedules of the store as a process reaches them. */
export function simSchedules(line: Line): ScheduleStore {
  const ask = <T>(queue: string, what: string, effect: (schedules: ScheduleStore) => Promise<T>) =>
    line.callStore(line.partOf(queue), what, ({ schedules }) => effect(schedules));
  return {
    now: (queue) => ask(queue, 'now', (schedules) => schedules.now(queue)),
    put: (schedule, when) => ask(schedule.queue, 'put', (schedules) => schedules.put(schedule, when)),
    declare: (refs) => ask(refs[0]!.queue, 'declare', (schedules) => schedules.declare(refs)),
    remove: (ref, declaredAt) => ask(ref.queue, 'remove', (schedules) => schedules.remove(ref, declaredAt)),
    due: (asked) => due(line, asked),
    defer: (seen, forMs) => ask(seen[0]!.queue, 'defer', (schedules) => schedules.defer(seen, forMs)),
    advance: (advances) => advance(line, advances),
    get: (ref) => ask(ref.queue, 'get', (schedules) => schedules.get(ref)),
    list: (queue, page) => ask(queue, 'list', (schedules) => schedules.list(queue, page)),
    pause: (ref) => ask(ref.queue, 'pause', (schedules) => schedules.pause(ref)),
    resume: (ref, slot, next) => ask(ref.queue, 'resume', (schedules) => schedules.resume(ref, slot, next)),
  };
}

async function due(line: Line, asked: Parameters<ScheduleStore['due']>[0]): Promise<DueSchedules> {
  const parts = [...new Set(asked.map(({ queue }) => line.partOf(queue)))];
  const unanswered: Unanswered[] = [];
  const answers = await Promise.all(
    parts.map((part) => {
      const some = asked.filter(({ queue }) => line.partOf(queue) === part);
      return line
        .callStore(part, 'due', ({ schedules }) => schedules.due(some))
        .catch((reason: Error) => {
          unanswered.push(...some.map(({ queue }) => ({ queue, reason })));
          return undefined;
        });
    }),
  );
  const heard = answers.filter((answer) => answer !== undefined);
  if (heard.length === 0) throw unanswered[0]!.reason;
  return {
    schedules: heard.flatMap(({ schedules }) => schedules),
    nextInMs: Math.min(...heard.map(({ nextInMs }) => nextInMs)),
    ...(unanswered.length > 0 ? { unanswered } : {}),
  };
}

async function advance(line: Line, advances: readonly Advance[]): Promise<Advanced[]> {
  const answers = new Map<Advance, Advanced>();
  const parts = [...new Set(advances.map(({ queue }) => line.partOf(queue)))];
  await Promise.all(
    parts.map(async (part) => {
      const some = advances.filter(({ queue }) => line.partOf(queue) === part);
      try {
        const answered = await line.callStore(part, 'advance', ({ schedules }) => schedules.advance(some));
        some.forEach((one, at) => answers.set(one, answered[at]!));
      } catch (error) {
        for (const one of some) answers.set(one, { status: 'unanswered', reason: error as Error });
      }
    }),
  );
  return advances.map((one) => answers.get(one)!);
}
