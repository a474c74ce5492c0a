import { describe, expect, it } from '@jest/globals';
import type { ClaimedTask } from '../../lib/backend/backend.js';
import { Attempt } from '../../lib/runner/attempt.js';
import { Tally } from '../../lib/runner/tally.js';
import type { Outcome } from '../../lib/task/outcome.js';

const nobody = { now: () => 0, noted: () => undefined };
const error = { name: 'TypeError', message: 'no\nat all' };

/** An attempt that waited for 30 ms and ran for 12. */
function attemptOf(fields: Partial<ClaimedTask> = {}): Attempt {
  const claimed = {
    queue: 'mail',
    id: 'a',
    job: 'Send',
    epoch: 1_030_000,
    dueAt: 1_000,
    ...fields,
  } as ClaimedTask;
  const attempt = new Attempt(claimed, Infinity, nobody);
  attempt.startedAt = 100.4;
  attempt.endedAt = 112.1;
  return attempt;
}

const outcomes: Outcome[] = [
  { type: 'succeeded', keepMs: 0 },
  { type: 'retry', error: { name: 'Error', message: 'first' }, delayMs: 1 },
  { type: 'dead', error, keepMs: 0 },
  { type: 'cancelled', reason: 'cancelled', keepMs: 0 },
  { type: 'snoozed', delayMs: 1 },
  { type: 'conflict', delayMs: 1 },
  { type: 'handed-back' },
  { type: 'parked', reason: 'unreadable' },
];

describe('The tally of a runner', () => {
  it('counts what a run ended in, per job and queue; a last failure is a failure, too', () => {
    const tally = new Tally();
    for (const outcome of outcomes) tally.count(attemptOf(), outcome);
    tally.count(attemptOf({ queue: 'other' }), { type: 'succeeded', keepMs: 0 });
    tally.count(attemptOf({ job: 'Receive' }), { type: 'succeeded', keepMs: 0 });
    const once = { succeeded: 1, failed: 0, dead: 0, cancelled: 0, lost: 0, runMs: 12, waitMs: 30 };
    expect(tally.take()).toEqual({
      runs: [
        {
          ...{ job: 'Send', queue: 'mail', succeeded: 1, failed: 2, dead: 1, cancelled: 1, lost: 0 },
          ...{ runMs: 36, waitMs: 90, lastError: 'TypeError: no' },
        },
        { ...once, job: 'Send', queue: 'other' },
        { ...once, job: 'Receive', queue: 'mail' },
      ],
      slots: [],
    });
    expect(tally.isEmpty).toBe(true);
    expect(tally.take()).toEqual({ runs: [], slots: [] });
  });

  it('tells of a slot what became of its task last', () => {
    const tally = new Tally();
    const slot = (id: string, at: number) => attemptOf({ id, scheduleId: 'daily', slot: at });
    tally.count(slot('one', 1), outcomes[1]!);
    tally.count(slot('two', 2), { type: 'cancelled', reason: 'cancelled', keepMs: 0 });
    tally.count(slot('one', 1), outcomes[0]!);
    expect(tally.take().slots).toEqual([
      { queue: 'mail', id: 'daily', slot: 2, task: 'two', outcome: 'cancelled' },
      { queue: 'mail', id: 'daily', slot: 1, task: 'one', outcome: 'succeeded' },
    ]);
  });

  it('takes back what was not told, under what has happened since', () => {
    const tally = new Tally();
    tally.count(attemptOf({ scheduleId: 's', slot: 1 }), outcomes[1]!);
    tally.count(attemptOf({ job: 'Other' }), outcomes[2]!);
    const untold = tally.take();
    tally.count(attemptOf({ scheduleId: 's', slot: 1 }), outcomes[2]!);
    tally.giveBack(untold);
    const { runs, slots } = tally.take();
    expect(runs).toMatchObject([
      { job: 'Send', failed: 2, dead: 1, runMs: 24, lastError: 'TypeError: no' },
      { job: 'Other', failed: 1, dead: 1, runMs: 12, lastError: 'TypeError: no' },
    ]);
    expect(slots).toMatchObject([{ slot: 1, outcome: 'dead' }]);
  });

  it('holds a bounded number of slots, and tells a thousand at a time', () => {
    const tally = new Tally();
    for (let n = 0; n < 6_000; n++)
      tally.count(attemptOf({ id: `${n}`, scheduleId: 's', slot: n }), outcomes[0]!);
    const told: number[] = [];
    while (!tally.isEmpty) {
      const { slots } = tally.take();
      expect(slots.length).toBeLessThanOrEqual(1_000);
      told.push(...slots.map(({ slot }) => slot));
    }
    expect(told).toEqual(Array.from({ length: 5_000 }, (_, n) => n + 1_000));
  });

  it('cuts a long error', () => {
    const tally = new Tally();
    tally.count(attemptOf(), { type: 'dead', error: { name: 'E', message: 'x'.repeat(9_999) }, keepMs: 0 });
    expect(tally.take().runs[0]!.lastError).toHaveLength(501);
  });
});
