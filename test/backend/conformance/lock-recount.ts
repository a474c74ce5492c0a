import { expect } from '@jest/globals';
import type { HeldLock } from '../../../lib/backend/held-lock.js';
import type { TaskRecord } from '../../../lib/task/task-record.js';
import { type Bundle, leaseMs, type Setup } from './setup.js';

const live = ['scheduled', 'waiting', 'pending'] as const;

/** After each case every lock has a holder in its phase; and when all tasks have ended then, no lock is left. */
export function recounting(setup: Setup): Setup {
  return (test) =>
    setup(async (bundle, anew) => {
      const bundles = [bundle];
      await test(bundle, () => {
        bundles.push(anew());
        return bundles.at(-1)!;
      });
      for (const used of bundles) {
        await expectHoldersInPhase(used);
        await expectNoLockLeft(used);
      }
    });
}

/** Whatever the store keeps of a lock names a task that can hold it, and what it shows is among that. */
export async function expectHoldersInPhase({ queues, lockEntries, backend }: Bundle): Promise<void> {
  for (const queue of queues) {
    const entries = await lockEntries(queue);
    const records = new Map((await unfinished(backend, queue)).map((record) => [record.id, record]));
    const stray = entries.filter(([key, holder]) => {
      const record = records.get(holder);
      return record?.lock?.key !== key || !isInPhase(record);
    });
    expect(stray).toEqual([]);
    const shown = await allLocks(backend, queue);
    const kept = new Map(entries);
    expect(shown.filter(({ key, holder }) => kept.get(key) !== holder)).toEqual([]);
  }
}

/** Ends every task, waits until all is quiet, and finds nothing. */
export async function expectNoLockLeft({
  queues,
  backend,
  claim,
  advance,
  lockEntries,
}: Bundle): Promise<void> {
  for (const queue of queues) {
    await backend.catalog.resume(queue);
    await backend.catalog.cancel(await unfinished(backend, queue));
  }
  await advance(10 * leaseMs);
  for (const queue of queues) {
    expect((await claim({ queues: [{ queue, limit: 1_000 }] })).tasks).toEqual([]);
    expect(await lockEntries(queue)).toEqual([]);
  }
}

/** The locks of a queue, page by page. */
export async function allLocks(
  { catalog }: Bundle['backend'],
  queue: string,
  limit = 100,
): Promise<HeldLock[]> {
  const all: HeldLock[] = [];
  let after: string | undefined;
  do {
    const page = await catalog.locks(queue, { limit, after });
    expect(page.locks.length).toBeLessThanOrEqual(limit);
    all.push(...page.locks);
    after = page.after;
  } while (after !== undefined);
  return all;
}

async function unfinished({ catalog }: Bundle['backend'], queue: string): Promise<TaskRecord[]> {
  const states = [...live, 'parked'] as const;
  const pages = await Promise.all(states.map((state) => catalog.list(queue, state, { limit: 1_000_000 })));
  return pages.flatMap(({ tasks }) => tasks);
}

/** As far as a record tells: that a first run had begun and was given back it does not. */
function isInPhase({ state, attempt, lock }: TaskRecord): boolean {
  const isLive = live.some((other) => other === state);
  switch (lock!.phase) {
    case 'until_executing':
      return isLive && state !== 'pending' && attempt === 0;
    case 'while_executing':
      return state === 'pending';
    default:
      return isLive || state === 'parked';
  }
}
