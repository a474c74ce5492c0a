import { describe, expect, it } from '@jest/globals';
import { LockConflictError, type LockConflict, type LockPhase } from 'nestjs-jobs';
import { readme, sectionsOf, tableOf } from '../support/readme.js';
import { moments, type Moment } from './fixtures/lock-moments.js';
import { lockStage, type LockStage } from './fixtures/lock-stage.js';

const textOf = (heading: string) => sectionsOf(readme).find((section) => section.heading === heading)!.text;

/** What the README says: for each moment, whether each lock is held. */
const [[, ...locks], ...rows] = tableOf('When a lock is held') as [string[], ...string[][]];
const conflicts: Record<LockPhase, LockConflict[]> = {
  until_executing: ['reject', 'raise', 'replace'],
  while_executing: ['reject', 'raise', 'reschedule'],
  until_executed: ['reject', 'raise', 'replace'],
  until_completed: ['reject', 'raise', 'replace'],
};

/** The rows of the README's tables of locks and conflicts, by what stands first in them. */
const told = new Map(
  [...textOf('Locks and conflicts').matchAll(/^\| `'(\w+)'` +\| ([^|]*?) +\|/gm)].map(([, name, next]) => [
    name!,
    next!,
  ]),
);

const cells = moments.flatMap((moment) => {
  const row = rows.find(([name]) => name === moment.row);
  return locks.flatMap((lock, index) =>
    conflicts[lock as LockPhase].flatMap((onConflict) =>
      Object.keys(moment.ways).map(
        (way) => [lock as LockPhase, row?.[index + 1] ?? 'untold', moment.row, way, onConflict] as const,
      ),
    ),
  );
});
const momentOf = (name: string) => moments.find(({ row }) => row === name)!;

describe('The README’s table on when a lock is held', () => {
  it('has every moment and every lock, and nothing else', () => {
    expect(rows.map(([name]) => name)).toEqual(moments.map(({ row }) => row));
    expect(locks).toEqual(Object.keys(conflicts));
    for (const [, ...held] of rows) expect(held.every((cell) => /^(held|free)/.test(cell))).toBe(true);
  });

  it('goes with those of locks and conflicts, which have every one and say which go together', () => {
    const all = [...new Set(Object.values(conflicts).flat())];
    expect([...told.keys()].toSorted()).toEqual([...locks, ...all].toSorted());
    const withs = (conflict: LockConflict) =>
      locks.filter((lock) => conflicts[lock as LockPhase].includes(conflict));
    const texts: Record<string, string[]> = {
      all: locks,
      "`'while_executing'`": ['while_executing'],
      'the other three': locks.filter((lock) => lock !== 'while_executing'),
    };
    for (const conflict of all) expect(texts[told.get(conflict)!]).toEqual(withs(conflict));
  });

  it.each(cells)(
    'is right that %s is %s by a task that is here: %s (%s), as %s sees it',
    async (lock, cell, row, way, onConflict) => {
      const moment = momentOf(row);
      const stage = await lockStage(lock, onConflict);
      await moment.ways[way]!(stage);
      const expects = lock === 'while_executing' ? expectAtRun : expectAtEnqueue;
      await expects(stage, cell.startsWith('held'), onConflict, moment);
    },
  );
});

/** A lock that is held from the enqueue shows at the enqueue of another task. */
async function expectAtEnqueue(
  stage: LockStage,
  isHeld: boolean,
  onConflict: LockConflict,
  { givesWay }: Moment,
): Promise<void> {
  const before = await stage.holder();
  const probing = await stage.probe().catch((error: unknown) => error);
  const probe = await stage.app.catalog.task('probe');
  if (!isHeld) {
    expect(probing).toMatchObject({ id: 'probe', status: 'enqueued' });
    expect(probe).toBeDefined();
    return;
  }
  expect(probe).toBeUndefined();
  if (onConflict === 'raise') {
    expect(probing).toBeInstanceOf(LockConflictError);
    expect(probing).toMatchObject({ job: 'Charge', id: 'probe', holder: 'holder' });
  } else if (onConflict === 'replace' && givesWay) {
    expect(probing).toEqual({ id: 'holder', queue: 'default', status: 'replaced' });
    expect(await stage.holder()).toMatchObject({ state: 'waiting', attempt: 0, priority: -10 });
    return;
  } else {
    expect(probing).toEqual({ id: 'probe', queue: 'default', status: 'rejected', holder: 'holder' });
  }
  expect(await stage.holder()).toEqual(before);
}

/** A lock that is held during runs shows at the run of another task. */
async function expectAtRun(stage: LockStage, isHeld: boolean, onConflict: LockConflict): Promise<void> {
  expect(await stage.probe()).toEqual({ id: 'probe', queue: 'default', status: 'enqueued' });
  expect(await stage.runProbe()).toBe(!isHeld);
  const probe = await stage.app.catalog.task('probe');
  if (!isHeld) expect(probe).toMatchObject({ state: 'succeeded' });
  else if (onConflict === 'reject')
    expect(probe).toMatchObject({ state: 'cancelled', reason: expect.stringContaining('holder') });
  else if (onConflict === 'raise')
    expect(probe).toMatchObject({ state: 'scheduled', attempt: 1, errors: [{ name: 'LockConflictError' }] });
  else
    expect(probe).toMatchObject({
      ...{ state: 'scheduled', attempt: 0, failures: 0, errors: [] },
      dueAt: new Date(stage.app.now() + 5_000),
    });
}
