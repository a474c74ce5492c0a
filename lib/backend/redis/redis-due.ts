import type { DueSchedules, ScheduleRecord } from '../schedule-store.js';
import type { RedisConnection } from './redis-connection.js';
import { keepText } from './redis-records.js';
import { readSchedule, valuesPerSchedule } from './redis-schedule-records.js';

const duePerCall = 1_000;

/** Asks every part of the store that has some of the queues, all at once; one that is silent leaves the others theirs. */
export async function dueSchedules(
  connection: RedisConnection,
  queues: readonly string[],
  forgetAfterMs: number,
): Promise<DueSchedules> {
  const parts = connection
    .sharing(Array.from(new Set(queues), (queue) => ({ queue })))
    .map((part) => part.map(({ queue }) => queue));
  const answers = await Promise.allSettled(parts.map((part) => dueOfPart(connection, part, forgetAfterMs)));
  const heard = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const unanswered = answers.flatMap((answer, index) =>
    answer.status === 'rejected'
      ? parts[index]!.map((queue) => ({ queue, reason: answer.reason as Error }))
      : [],
  );
  if (heard.length === 0 && unanswered.length > 0) throw unanswered[0]!.reason;
  const schedules = heard.flatMap((part) => part.schedules).sort((a, b) => a.nextSlot - b.nextSlot);
  const isCut = schedules.length > duePerCall;
  return {
    schedules: schedules.slice(0, duePerCall),
    nextInMs: isCut ? 0 : Math.min(...heard.map(({ nextInMs }) => nextInMs)),
    now: Math.max(0, ...heard.map(({ now }) => now)),
    ...(unanswered.length > 0 ? { unanswered } : {}),
  };
}

async function dueOfPart(
  connection: RedisConnection,
  queues: readonly string[],
  forgetAfterMs: number,
): Promise<DueSchedules> {
  const reply = (await connection.run('due', queues, [keepText(forgetAfterMs)])) as string[];
  const schedules: ScheduleRecord[] = [];
  for (let at = 2; at < reply.length; at += 1 + valuesPerSchedule)
    schedules.push(readSchedule(queues[Number(reply[at])]!, reply, at + 1));
  return { schedules, nextInMs: reply[1] === 'inf' ? Infinity : Number(reply[1]), now: Number(reply[0]) };
}
