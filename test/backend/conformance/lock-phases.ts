import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../lib/task/outcome.js';
import type { NewTask, TaskLock } from '../../../lib/task/task-record.js';
import { recounting } from './lock-recount.js';
import { boom, type Bundle, endingIn, leaseMs, lockOf, retryAtOnce, type Setup, success } from './setup.js';

const phases = ['until_executing', 'while_executing', 'until_executed', 'until_completed'] as const;
const ttlMs = 5_000;
const backoff: Outcome = { type: 'retry', error: boom, delayMs: 600_000 };
const snooze: Outcome = { type: 'snoozed', delayMs: 0 };
const park: Outcome = { type: 'parked', reason: 'unreadable', fingerprint: 'v1' };
const parkUnknown: Outcome = { type: 'parked', reason: 'unknown-job' };

/** Which of the phases, in their order, hold the lock; `-` is free. */
type Holding = `${'e' | '-'}${'w' | '-'}${'x' | '-'}${'c' | '-'}`;
type Bring = (bundle: Bundle, task: Partial<NewTask> & { id: string; lock: TaskLock }) => Promise<unknown>;

const settled =
  (...outcomes: Outcome[]): Bring =>
  async ({ start, settle, claimOne }, task) => {
    let lease = await start(task);
    for (const [index, outcome] of outcomes.entries()) {
      if (index > 0) lease = await claimOne();
      expect(await settle(lease, outcome)).toBe('settled');
    }
  };
/** And then runs again. */
const again =
  (bring: Bring): Bring =>
  async (bundle, task) => {
    await bring(bundle, task);
    expect(await bundle.claimIds()).toEqual([task.id]);
  };
/** And then something is done to it from the catalog. */
const acted =
  (verb: 'cancel' | 'remove' | 'retry' | 'runNow', bring: Bring, answer: string = 'done'): Bring =>
  async (bundle, task) => {
    await bring(bundle, task);
    const { backend, queue } = bundle;
    expect(await backend.catalog[verb]([{ queue, id: task.id }])).toEqual([answer]);
  };
/** And then the same id is enqueued once more, and replaces it. */
const replaced =
  (bring: Bring): Bring =>
  async (bundle, task) => {
    await bring(bundle, task);
    expect(await bundle.add({ ...task, replace: true })).toEqual([{ status: 'replaced' }]);
  };
/** The same with a lock that has a time to live, which then passes. */
const outlived =
  (bring: Bring): Bring =>
  async (bundle, task) => {
    await bring(bundle, { ...task, lock: { ...task.lock, ttlMs } });
    await bundle.advance(2 * ttlMs);
  };
const enqueued: Bring = ({ enqueue }, task) => enqueue(task);
const scheduled: Bring = ({ enqueue }, task) => enqueue({ ...task, due: { inMs: 60_000 } });
const running: Bring = ({ start }, task) => start(task);
/** Its process has died, and a claim that took nothing else has seen it. */
const lost: Bring = async (bundle, task) => {
  await bundle.start(task);
  await bundle.advance(leaseMs);
  await recovered(bundle);
};
const recovered = async ({ enqueue, claimOne, settle }: Bundle) => {
  const urgent = await enqueue({ priority: -1_000 });
  const claimed = await claimOne();
  expect(claimed.id).toBe(urgent);
  await settle(claimed, success);
};
const handedBackUnheld: Bring = async ({ start, claim, queue, get }, task) => {
  await start(task);
  await claim({ queues: [{ queue, limit: 0 }], holding: [] });
  expect(await get(task.id)).toMatchObject({ state: 'waiting', attempt: 0 });
};
const unparked: Bring = async (bundle, task) => {
  await settled(park)(bundle, task);
  const { backend, queue } = bundle;
  expect(await backend.tasks.unpark(queue, [{ job: 'Job', fingerprint: 'v2' }])).toEqual({ count: 1 });
};

/** What has become of a task, and which phases then hold its lock. */
const table: [what: string, bring: Bring, holding: Holding][] = [
  ['waits for its first run', enqueued, 'e-xc'],
  ['is scheduled', scheduled, 'e-xc'],
  ['was made due by hand', acted('runNow', scheduled), 'e-xc'],
  ['runs', running, '-wxc'],

  ['has failed and waits for its retry', settled(backoff), '---c'],
  ['runs again after a failure', again(settled(retryAtOnce)), '-wxc'],
  ['has failed twice', settled(retryAtOnce, backoff), '---c'],
  ['has succeeded and is gone', settled(success), '----'],
  ['has succeeded and is kept', settled(endingIn('succeeded', 60_000)), '----'],
  ['has succeeded at a retry', settled(retryAtOnce, success), '----'],
  ['is dead', settled(endingIn('dead', 60_000)), '----'],
  ['is dead after a retry', settled(retryAtOnce, endingIn('dead', 60_000)), '----'],
  ['ended as cancelled', settled(endingIn('cancelled', 60_000)), '----'],

  ['has lost its lease', lost, '--xc'],
  ['runs again after a lost lease', again(lost), '-wxc'],
  [
    'has died of a lost lease',
    async (bundle, task) => {
      await lost(bundle, { ...task, retries: 0 });
      expect(await bundle.get(task.id)).toMatchObject({ state: 'dead' });
    },
    '----',
  ],
  [
    'has succeeded after its lease was lost',
    async (bundle, task) => {
      const lease = await bundle.start(task);
      await bundle.advance(leaseMs);
      await recovered(bundle);
      expect(await bundle.settle(lease, success)).toBe('settled');
    },
    '----',
  ],

  ['is snoozed', settled({ type: 'snoozed', delayMs: 60_000 }), '--xc'],
  ['runs again after a snooze', again(settled(snooze)), '-wxc'],
  ['is snoozed at a retry', settled(retryAtOnce, snooze), '--xc'],
  ['stays away after a conflict', settled({ type: 'conflict', delayMs: 60_000 }), '--xc'],
  ['was handed back', settled({ type: 'handed-back' }), '--xc'],
  ['runs again after a hand-back', again(settled({ type: 'handed-back' })), '-wxc'],
  ['was handed back as its runner never heard of it', handedBackUnheld, '--xc'],

  ['is parked', settled(park), '--xc'],
  ['was put back by another definition', unparked, '--xc'],
  ['runs again after it was parked', again(unparked), '-wxc'],
  ['is parked as its job is unknown', settled(parkUnknown), '--xc'],
  [
    'was taken out of parked by who knows the job',
    async (bundle, task) => {
      await settled(parkUnknown)(bundle, task);
      expect(await bundle.claimIds({ declares: ['Job'] })).toEqual([task.id]);
    },
    '-wxc',
  ],

  ['was cancelled while it waited', acted('cancel', enqueued), '----'],
  ['was cancelled while it was scheduled', acted('cancel', scheduled), '----'],
  ['was cancelled before its retry', acted('cancel', settled(backoff)), '----'],
  ['was cancelled while it was parked', acted('cancel', settled(park)), '----'],
  ['is asked to stop while it runs', acted('cancel', running, 'requested'), '-wxc'],
  [
    'has stopped as it was asked to',
    async (bundle, task) => {
      const lease = await bundle.start(task);
      await bundle.backend.catalog.cancel([lease]);
      await bundle.settle(lease, retryAtOnce);
      expect(await bundle.get(task.id)).toMatchObject({ state: 'cancelled' });
    },
    '----',
  ],
  [
    'was asked to stop and lost its lease',
    async (bundle, task) => {
      await acted('cancel', running, 'requested')(bundle, task);
      await bundle.advance(leaseMs);
      await recovered(bundle);
      expect(await bundle.get(task.id)).toMatchObject({ state: 'cancelled' });
    },
    '----',
  ],
  [
    'has expired',
    async (bundle, task) => {
      await bundle.enqueue({ ...task, expires: { inMs: 1_000 } });
      await bundle.advance(2_000);
      expect(await bundle.claimIds()).toEqual([]);
    },
    '----',
  ],
  ['was removed while it waited', acted('remove', enqueued), '----'],
  ['was removed before its retry', acted('remove', settled(backoff)), '----'],
  ['was removed while it was parked', acted('remove', settled(park)), '----'],
  ['was removed when it was dead', acted('remove', settled(endingIn('dead', 60_000))), '----'],
  [
    'is past its retention',
    async (bundle, task) => {
      await settled(endingIn('dead', 1_000))(bundle, task);
      await bundle.advance(2_000);
      expect(await bundle.get(task.id)).toBeUndefined();
    },
    '----',
  ],

  ['was replaced while it waited', replaced(enqueued), 'e-xc'],
  ['was replaced before its retry', replaced(settled(backoff)), 'e-xc'],
  ['was replaced while it was parked', replaced(settled(park)), 'e-xc'],
  ['was replaced after it was kept', replaced(settled(endingIn('succeeded', 60_000))), 'e-xc'],
  ['was started anew when it was dead', acted('retry', settled(endingIn('dead', 60_000))), 'e-xc'],
  ['was started anew when it was cancelled', acted('retry', acted('cancel', enqueued)), 'e-xc'],
  ['was started anew when it was parked', acted('retry', settled(park)), 'e-xc'],
  ['runs after it was started anew', again(acted('retry', settled(endingIn('dead', 60_000)))), '-wxc'],

  ['has not started in its time to live', outlived(enqueued), '----'],
  [
    'was made due by hand and did not start in its time to live',
    outlived(acted('runNow', scheduled)),
    '----',
  ],
  ['is scheduled for later than its time to live', outlived(scheduled), 'e-xc'],
  ['starts after its time to live', again(outlived(enqueued)), '-wxc'],
  ['runs for longer than its time to live', outlived(running), '-wxc'],
  ['waits for its retry for longer than its time to live', outlived(settled(backoff)), '---c'],
  ['was handed back longer ago than its time to live', outlived(settled({ type: 'handed-back' })), '--xc'],
  ['was snoozed longer ago than its time to live', outlived(settled(snooze)), '--xc'],
  ['was parked longer ago than its time to live', outlived(settled(park)), '--xc'],
  ['was put back longer ago than its time to live', outlived(unparked), '--xc'],
  ['lost its lease longer ago than its time to live', outlived(lost), '--xc'],
];

/** The phases of a lock on all the ways of a task: the table of the README, cell by cell. */
export function describeLockPhases(bare: Setup): void {
  const setup = recounting(bare);
  describe('the lock of a task that', () => {
    for (const [what, bring, holding] of table) {
      const holds = phases.filter((_, index) => holding[index] !== '-');
      it(
        `${what} is ${holds.length > 0 ? `held ${holds.join(', ')}` : 'free'}`,
        setup(async (_, anew) => {
          for (const phase of phases) {
            const bundle = anew();
            const { backend, queue, add } = bundle;
            const lock = lockOf(phase, { key: 'the key' });
            await bring(bundle, { id: 'a', lock });
            const isHeld = holds.includes(phase);
            const shown = { phase, lock: await backend.catalog.lock({ queue, key: lock.key }) };
            const held = { queue, key: lock.key, holder: 'a', phase };
            expect(shown).toEqual({ phase, lock: isHeld ? held : undefined });
            const probe = { id: 'probe', lock: lockOf('until_completed', { key: lock.key }) };
            expect({ phase, added: await add(probe) }).toEqual({
              phase,
              added: [isHeld ? { status: 'rejected', holder: 'a' } : { status: 'enqueued' }],
            });
          }
        }),
      );
    }
  });
}
