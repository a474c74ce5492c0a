import type { JobFingerprint, Unparked } from '../backend.js';
import type { RedisConnection } from './redis-connection.js';

const fromTheStart = '1:';

/** Puts back what other definitions have parked. Where to go on is a range of the script's and the entry that it ended with. */
export async function unpark(
  connection: RedisConnection,
  queue: string,
  definitions: readonly JobFingerprint[],
  after = fromTheStart,
): Promise<Unparked> {
  const at = after.indexOf(':');
  const args = [after.slice(0, at), after.slice(at + 1)];
  for (const { job, fingerprint } of definitions) args.push(job, fingerprint);
  const [count, range, entry] = (await connection.run('unpark', [queue], args)) as UnparkReply;
  return range === undefined ? { count } : { count, after: `${range}:${entry}` };
}

type UnparkReply = [count: number, range?: number, entry?: string];
