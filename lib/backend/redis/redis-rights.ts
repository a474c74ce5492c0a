import type { Redis } from 'ioredis';
import { UnusableStoreError } from '../errors.js';
import { refusal } from './redis-refusal.js';
import { scriptOf, type BellKind } from './redis-scripts.js';

/** What the scripts call, as calls that leave nothing behind when made in this order. */
export const scriptCalls = [
  "'TIME'",
  "'HSET', KEYS[1], 'field', 1",
  // Refused as the key is a hash, yet only after the user's rights were looked at; queues are noted in a set.
  "'SADD', KEYS[1], 'member'",
  "'SMEMBERS', KEYS[1]",
  "'HINCRBY', KEYS[1], 'field', 1",
  "'HGET', KEYS[1], 'field'",
  "'HMGET', KEYS[1], 'field'",
  "'HEXISTS', KEYS[1], 'field'",
  "'HSCAN', KEYS[1], 0",
  "'HDEL', KEYS[1], 'field'",
  "'ZADD', KEYS[1], 0, 'member'",
  "'ZCARD', KEYS[1]",
  "'ZCOUNT', KEYS[1], 0, 0",
  "'ZRANGE', KEYS[1], 0, 0",
  "'ZRANGEBYLEX', KEYS[1], '-', '+'",
  "'ZRANGEBYSCORE', KEYS[1], 0, 0",
  "'ZSCORE', KEYS[1], 'member'",
  "'ZREM', KEYS[1], 'member'",
  "'ZPOPMIN', KEYS[1]",
  "'GET', KEYS[1]",
  // The key is gone by now, and this makes no new one.
  "'SET', KEYS[1], '', 'XX'",
  "'PUBLISH', ARGV[1], ''",
];

const probe = `local lacking = {}
local function try(...)
  local reply = redis.pcall(...)
  local why = type(reply) == 'table' and reply.err or ''
  if string.find(why, 'NOPERM') or string.find(why, 'user executing') or string.find(why, 'READONLY') then
    lacking[#lacking + 1] = (...) .. ' (' .. why .. ')'
  end
end
${scriptCalls.map((call) => `try(${call})`).join('\n')}
return lacking`;

/** Does once what tasks will need: a right that the user lacks is told at boot, not at the first task. */
export async function checkRights(
  server: Redis,
  name: string,
  prefix: string,
  bells: BellKind,
): Promise<void> {
  const { source, sha } = scriptOf(probe, bells);
  const args = [1, `${prefix}:{boot}:check`, `${prefix}:{boot}:bell`];
  await asked(name, server.call('EVALSHA', [sha, ...args]));
  const lacking = await asked(name, server.call('EVAL', [source, ...args]));
  if (!Array.isArray(lacking) || lacking.length === 0) return;
  throw new UnusableStoreError(
    `${name} cannot be used: its user may not run all that scripts need on keys and channels '${prefix}:*': ${lacking.join(', ')}`,
  );
}

/** The same for the connection that listens. */
export async function checkListening(
  subscriber: Redis,
  name: string,
  prefix: string,
  bells: BellKind,
): Promise<void> {
  const channel = `${prefix}:{boot}:bell`;
  await asked(name, bells === 'plain' ? subscriber.subscribe(channel) : subscriber.ssubscribe(channel));
  await asked(name, subscriber.ping());
  // Nothing hangs on it, and so no right is asked for.
  if (bells === 'plain') await subscriber.unsubscribe(channel).catch(() => undefined);
}

/** Another node of a cluster has the key, or the script is new: the user may ask all the same. */
async function asked(name: string, reply: Promise<unknown>): Promise<unknown> {
  try {
    return await reply;
  } catch (error) {
    if (/^(NOSCRIPT|MOVED|ASK) /.test((error as Error).message)) return undefined;
    throw refusal(name, error as Error);
  }
}
