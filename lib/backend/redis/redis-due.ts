import type { AskedSchedules, DueSchedule, DueSchedules } from '../schedule-store.js';
import type { RedisConnection } from './redis-connection.js';
import { readSchedule, valuesPerSchedule } from './redis-schedule-records.js';

const duePerCall = 1_000;

/** What a part of the store has to tell, in its order. */
interface PartDue {
  readonly found: { readonly lookAt: number; readonly schedule: DueSchedule }[];
  readonly nextInMs: number;
}

/** Asks every part of the store that has some of the queues, all at once; one that is silent leaves the others theirs. */
export async function dueSchedules(
  connection: RedisConnection,
  asked: readonly AskedSchedules[],
): Promise<DueSchedules> {
  const skips = new Map(asked.map(({ queue, skip }) => [queue, skip]));
  const parts = connection.sharing(Array.from(skips, ([queue, skip]) => ({ queue, skip })));
  const answers = await Promise.allSettled(parts.map((part) => dueOfPart(connection, part)));
  const heard = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const unanswered = answers.flatMap((answer, index) =>
    answer.status === 'rejected'
      ? parts[index]!.map(({ queue }) => ({ queue, reason: answer.reason as Error }))
      : [],
  );
  if (heard.length === 0 && unanswered.length > 0) throw unanswered[0]!.reason;
  // By the same order as within each: what is cut off is the end of every queue.
  const found = heard.flatMap((part) => part.found).sort((a, b) => a.lookAt - b.lookAt);
  const isCut = found.length > duePerCall;
  return {
    schedules: found.slice(0, duePerCall).map(({ schedule }) => schedule),
    nextInMs: isCut ? 0 : Math.min(...heard.map(({ nextInMs }) => nextInMs)),
    ...(unanswered.length > 0 ? { unanswered } : {}),
  };
}

async function dueOfPart(connection: RedisConnection, asked: readonly AskedSchedules[]): Promise<PartDue> {
  const queues = asked.map(({ queue }) => queue);
  const skips = asked.map(({ skip }) => skip);
  const reply = (await connection.run('due', queues, skips)) as string[];
  const now = Number(reply[0]);
  const found: PartDue['found'] = [];
  for (let at = 2; at < reply.length; at += 2 + valuesPerSchedule) {
    const schedule = { ...readSchedule(queues[Number(reply[at])]!, reply, at + 2), now };
    found.push({ lookAt: Number(reply[at + 1]), schedule });
  }
  return { found, nextInMs: reply[1] === 'inf' ? Infinity : Number(reply[1]) };
}
