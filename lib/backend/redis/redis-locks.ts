import type { LockPhase } from '../../task/task-record.js';
import type { HeldLock, LockPage, LockRef } from '../held-lock.js';
import type { RedisConnection } from './redis-connection.js';

/** The lock, if a task holds it. */
export async function readLock(
  connection: RedisConnection,
  { queue, key, holder: expected }: LockRef,
): Promise<HeldLock | undefined> {
  const [holder, phase] = (await connection.run('locks', [queue], ['get', key])) as [string?, LockPhase?];
  const isMeant = holder !== undefined && (expected ?? holder) === holder;
  return isMeant ? { queue, key, holder, phase: phase! } : undefined;
}

/** One scan of the locks. */
export async function readLocks(
  connection: RedisConnection,
  queue: string,
  { limit, after = '0:' }: { limit: number; after?: string },
): Promise<LockPage> {
  const [, from, fromKey] = /^(\d+):(.*)$/s.exec(after) ?? [];
  // What no page has said cannot be gone on from; better an end than a second beginning.
  if (from === undefined || limit < 1) return { locks: [] };
  const args = ['list', limit, from, fromKey!];
  const [cursor, key, ...values] = (await connection.run('locks', [queue], args)) as string[];
  const locks: HeldLock[] = [];
  for (let at = 0; at < values.length; at += 3)
    locks.push({ queue, key: values[at]!, holder: values[at + 1]!, phase: values[at + 2] as LockPhase });
  return cursor === '' ? { locks } : { locks, after: `${cursor}:${key}` };
}

/** Answers whether it was held. */
export async function releaseLock(
  connection: RedisConnection,
  { queue, key, holder = '' }: LockRef,
): Promise<boolean> {
  return (await connection.run('locks', [queue], ['release', key, holder])) === 1;
}
