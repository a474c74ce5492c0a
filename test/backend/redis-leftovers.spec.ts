import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { openRedisStore } from '../support/redis-store.js';
import type { Outcome } from '../../lib/task/outcome.js';
import { endingIn, lockOf, retryAtOnce, setupWith, success } from './conformance/setup.js';

let client: Redis;
beforeAll(() => {
  client = new Redis(process.env.TEST_REDIS_URL!);
});
afterAll(() => client.quit());

const prefix = `l${randomUUID().slice(0, 8)}`;
const setup = setupWith((settings) => openRedisStore({ ...settings, prefix }, client));

/** The parts of its queue in which a task is named. */
async function partsWith(id: string): Promise<string[]> {
  const parts: string[] = [];
  for (const key of await client.keys(`${prefix}:*`)) {
    const type = await client.type(key);
    const texts = type === 'hash' ? await client.hkeys(key) : [];
    if (type === 'zset') texts.push(...(await client.zrange(key, '0', '-1')));
    if (texts.some((text) => text.includes(id))) parts.push(key.slice(key.lastIndexOf(':') + 1));
  }
  return parts.toSorted();
}

/** Outcomes after which a task waits for its next run. */
const outcomes = {
  retry: retryAtOnce,
  snoozed: { type: 'snoozed', delayMs: 0 },
  'handed-back': { type: 'handed-back' },
  conflict: { type: 'conflict', delayMs: 0 },
  parked: { type: 'parked', reason: 'unreadable', fingerprint: 'old' },
} satisfies Record<string, Outcome>;

describe('A task that is gone', () => {
  it.each(['by itself', 'with the next claim'])(
    'leaves nothing on the server, also where it was dead and then started anew, settled %s',
    (how) =>
      setup(async ({ backend, queue, start, settle, claim, claimOne }) => {
        const started = await start();
        expect(await partsWith(started.id)).toEqual(['pending', 'runs', 'tasks']);
        await settle(started, endingIn('dead', 60_000));
        expect(await partsWith(started.id)).toEqual(['dead', 'notes', 'runs', 'tasks']);
        await backend.catalog.retry([{ queue, id: started.id }]);
        const settling = settle(await claimOne(), success);
        if (how !== 'by itself') await claim({ queues: [{ queue, limit: 1 }], limit: 1 });
        await settling;
        expect(await partsWith(started.id)).toEqual([]);
      })(),
  );
});

describe('What runs have said', () => {
  const said = { progress: { percent: 50 }, lines: [{ at: 1, message: 'half' }] };
  const annotated = ['by itself', 'with the next claim'].flatMap((how) =>
    (['at once', 'snoozed', 'handed-back', 'conflict', 'parked', 'retry'] as const).map((before) => ({
      how,
      before,
    })),
  );
  it.each(annotated)('leaves nothing on the server when its task succeeds $how, $before', ({ how, before }) =>
    setup(async ({ backend, queue, start, settle, claim, claimOne }) => {
      let held = await start();
      await backend.tasks.annotate([{ ...held, notes: said }]);
      expect(await partsWith(held.id)).toEqual(['notes', 'pending', 'runs', 'tasks']);
      if (before !== 'at once') {
        await settle(held, outcomes[before]);
        if (before === 'parked') await backend.tasks.unpark(queue, [{ job: 'Job', fingerprint: 'new' }]);
        expect(await partsWith(held.id)).toEqual(['notes', 'runs', 'tasks', 'waiting']);
        // By the short way first, as a busy runner claims.
        held = await claimOne({ queues: [{ queue, limit: 1 }] });
      }
      const settling = settle(held, success);
      if (how !== 'by itself') await claim({ queues: [{ queue, limit: 1 }], limit: 1 });
      expect(await settling).toBe('settled');
      expect(await partsWith(held.id)).toEqual([]);
    })(),
  );

  it.each(annotated)('with its outcome leaves nothing either, settled $how, $before', ({ how, before }) =>
    setup(async ({ backend, queue, start, claim, claimOne }) => {
      let held = await start();
      if (before !== 'at once') {
        const outcome = outcomes[before];
        expect(await backend.tasks.settle([{ ...held, outcome, notes: said }])).toEqual(['settled']);
        expect(await partsWith(held.id)).toContain('notes');
        if (before === 'parked') await backend.tasks.unpark(queue, [{ job: 'Job', fingerprint: 'new' }]);
        held = await claimOne({ queues: [{ queue, limit: 1 }] });
      }
      const settling = backend.tasks.settle([{ ...held, outcome: success, notes: said }]);
      if (how !== 'by itself') await claim({ queues: [{ queue, limit: 1 }], limit: 1 });
      expect(await settling).toEqual(['settled']);
      expect(await partsWith(held.id)).toEqual([]);
    })(),
  );

  it(
    'of one task does not keep others of the same moment from going the short way',
    setup(async ({ backend, queue, add, claim }) => {
      await add(...['a', 'b', 'c'].map((id) => ({ id, token: id })));
      const { tasks } = await claim();
      await backend.tasks.annotate([{ ...tasks[1]!, notes: said }]);
      const settling = backend.tasks.settle(
        tasks.map((task, n) => ({
          ...task,
          outcome: n === 2 ? endingIn('dead', 60_000) : success,
          notes: said,
        })),
      );
      await claim({ queues: [{ queue, limit: 1 }], limit: 1 });
      expect(await settling).toEqual(['settled', 'settled', 'settled']);
      expect(await backend.catalog.get({ queue, id: 'c' })).toMatchObject({ state: 'dead', ...said });
      for (const id of ['a', 'b']) expect(await backend.catalog.get({ queue, id })).toBeUndefined();
      const key = `${prefix}:${queue}:notes`;
      expect((await client.hkeys(key)).toSorted()).toEqual(['c:e', 'c:l', 'c:p']);
    }),
  );
});

describe('A queue that has gone quiet', () => {
  it(
    'keeps its counters and figures, and nothing of what it held',
    setup(async ({ backend, queue, add, claim, settle, advance }) => {
      const rest = [`${prefix}:${queue}:meta`, `${prefix}:${queue}:runs`];
      const recount = async () =>
        (await client.keys(`${prefix}:${queue}:*`)).filter((key) => !/:calls:/.test(key)).toSorted();
      for (let round = 0; round < 3; round++) {
        const ends = ['succeeded', 'dead', 'cancelled', 'parked'] as const;
        await add(...ends.map((id) => ({ id: `${id}-${round}` })), {
          id: `later-${round}`,
          due: { inMs: 10_000 },
        });
        for (const [n, task] of (await claim()).tasks.entries()) {
          await backend.tasks.annotate([{ ...task, notes: { progress: { percent: 1 } } }]);
          await settle(task, endingIn(ends[n]!, 60_000));
        }
        await backend.catalog.remove([{ queue, id: `parked-${round}` }]);
        await advance(10_000);
        for (const task of (await claim()).tasks) await settle(task, success);
        expect((await recount()).length).toBeGreaterThan(rest.length);
        await advance(60_000);
        await claim({ declares: ['Job'] });
        expect(await recount()).toEqual(rest);
      }
    }),
  );
});

describe('What is left of a lock where the store was meddled with', () => {
  it.each([
    ['is gone', 'until_completed', 'nobody'],
    ['is dead', 'until_completed', 'dead'],
    ['has started', 'until_executing', 'runs'],
    ['does not run', 'while_executing', 'waits'],
    ['has another lock', 'until_completed', 'other'],
  ] as const)('is free, as its holder %s', (_what, phase, holder) =>
    setup(async ({ backend, queue, bringTo, enqueue, start, add }) => {
      const lock = lockOf(phase, { key: 'stray' });
      if (holder === 'dead') await bringTo('dead', { id: holder, lock });
      if (holder === 'runs') await start({ id: holder, lock });
      if (holder === 'waits') await enqueue({ id: holder, lock });
      if (holder === 'other') await enqueue({ id: holder, lock: { ...lock, key: 'other' } });
      await client.hset(`${prefix}:${queue}:locks`, 'stray', holder);
      expect(await backend.catalog.lock({ queue, key: 'stray' })).toBeUndefined();
      expect(await add({ id: 'b', lock: lockOf('until_completed', { key: 'stray' }) })).toEqual([
        { status: 'enqueued' },
      ]);
      expect(await backend.catalog.lock({ queue, key: 'stray' })).toMatchObject({ holder: 'b' });
    })(),
  );
});
