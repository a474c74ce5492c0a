import { StoreUnavailableError } from '../errors.js';
import type { Advance, Advanced } from '../schedule-store.js';
import { byQueue } from './redis-arguments.js';
import type { RedisConnection } from './redis-connection.js';
import { advanceArguments, readAdvanced } from './redis-schedule-records.js';

/** What one script call takes at most, but a step at least: others wait while it runs. */
const stepsPerCall = 100;
const bytesPerCall = 1_000_000;

/** Sends the steps, to each part of the store at the same time; one that is silent leaves the others their answers. */
export async function advanceSchedules(
  connection: RedisConnection,
  steps: readonly Advance[],
  cancelledKeep: string,
): Promise<Advanced[]> {
  const answers: Advanced[] = [];
  const numbered = steps.map((step, index) => ({ ...step, index }));
  const sending = connection.sharing(numbered).map(async (part) => {
    const answered = await advancePart(connection, part, cancelledKeep);
    part.forEach(({ index }, at) => (answers[index] = answered[at]!));
  });
  await Promise.all(sending);
  return answers;
}

/** One call after the other, since a schedule may take several steps. */
async function advancePart(
  connection: RedisConnection,
  steps: readonly Advance[],
  cancelledKeep: string,
): Promise<Advanced[]> {
  const answers: Advanced[] = [];
  let silence: Error | undefined;
  for (const some of inCalls(steps)) {
    try {
      // Where there is no word, none is waited for a second time; where a call was refused, the next one may not be.
      if (silence) throw silence;
      answers.push(...(await advanceSome(connection, some, cancelledKeep)));
    } catch (error) {
      const reason = error as Error;
      if (reason instanceof StoreUnavailableError) silence = reason;
      answers.push(...some.map((): Advanced => ({ status: 'unanswered', reason })));
    }
  }
  return answers;
}

function* inCalls(steps: readonly Advance[]): Iterable<Advance[]> {
  let [some, bytes]: [Advance[], number] = [[], 0];
  for (const step of steps) {
    const size = step.task ? Buffer.byteLength(step.task.params) + (step.task.extra?.length ?? 0) : 0;
    if (some.length === stepsPerCall || (some.length > 0 && bytes + size > bytesPerCall)) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(step);
    bytes += size;
  }
  if (some.length > 0) yield some;
}

async function advanceSome(
  connection: RedisConnection,
  steps: readonly Advance[],
  cancelledKeep: string,
): Promise<Advanced[]> {
  const { names, args, order } = byQueue(steps, advanceArguments);
  const reply = (await connection.run('advance', names, [cancelledKeep, ...args])) as string[];
  const answers: Advanced[] = [];
  order.forEach((index, at) => (answers[index] = readAdvanced(steps[index]!, reply, at * 4)));
  return answers;
}
