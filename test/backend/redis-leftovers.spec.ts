import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { openRedisStore } from '../support/redis-store.js';
import { endingIn, setupWith, success } from './conformance/setup.js';

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
