import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { openRedisStore } from '../support/redis-store.js';
import { endingIn, lockOf, setupWith, success } from './conformance/setup.js';

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
