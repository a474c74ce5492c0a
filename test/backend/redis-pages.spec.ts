import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { adminOf, ownRedis } from '../support/own-redis.js';
import { openRedisStore } from '../support/redis-store.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { endingIn, setupWith, type Bundle } from './conformance/setup.js';

/** A server of its own: what it has done is counted. */
let server: OwnRedis;
let client: Redis;
beforeAll(async () => {
  server = await ownRedis();
  client = adminOf(server.url);
});

const prefix = 'jobs';
const setup = setupWith((settings) => openRedisStore(settings, client, server.url));

/** Scripts see the same server: what they cost is what it says of itself. */
async function commandsOf(act: () => Promise<unknown>): Promise<number> {
  const total = async () =>
    [
      ...(await client.info('commandstats')).matchAll(
        /^cmdstat_(zrange|zcount|zcard|hget|hmget|zscore|zrangebyscore):calls=(\d+)/gm,
      ),
    ]
      .map(([, , calls]) => Number(calls))
      .reduce((sum, calls) => sum + calls, 0);
  const before = await total();
  await act();
  return (await total()) - before;
}

const calls = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))![1]);

const named = (count: number) => Array.from({ length: count }, (_, n) => `task-${n}`);

/** That many tasks that are due at one moment, and the order in which they stand. */
async function manyAtOnce({ backend, task, now }: Bundle, count: number): Promise<string[]> {
  const at = (await now()) - 1_000;
  const ids = named(count);
  for (let from = 0; from < count; from += 5_000)
    await backend.tasks.add([ids.slice(from, from + 5_000).map((id) => task({ id, due: { at } }))]);
  return ids;
}

async function walk({ backend, queue }: Bundle, limit: number, backwards: boolean): Promise<string[]> {
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const { tasks, next } = await backend.catalog.list(queue, 'waiting', { limit, after, backwards });
    seen.push(...tasks.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  return seen;
}

describe('Pages among 10,000 tasks of one score', () => {
  it.each([false, true])('give each task once (backwards: %s)', (backwards) =>
    setup(async (bundle) => {
      const ids = await manyAtOnce(bundle, 10_000);
      const expected = backwards ? ids.toReversed() : ids;
      expect(await walk(bundle, 999, backwards)).toEqual(expected);
      expect(await walk(bundle, 10_000, backwards)).toEqual(expected);
    })(),
  );

  it.each([false, true])(
    'go on where the task at the place, and all around it, are gone (backwards: %s)',
    (backwards) =>
      setup(async (bundle) => {
        const { backend, queue } = bundle;
        const ids = await manyAtOnce(bundle, 10_000);
        const order = backwards ? ids.toReversed() : ids;
        const first = await backend.catalog.list(queue, 'waiting', { limit: 5_000, backwards });
        const gone = order.slice(3_000, 7_000).map((id) => ({ queue, id }));
        expect(new Set(await backend.catalog.remove(gone))).toEqual(new Set(['done']));
        const second = await backend.catalog.list(queue, 'waiting', {
          limit: 5,
          after: first.next,
          backwards,
        });
        expect(second.tasks.map(({ id }) => id)).toEqual(order.slice(7_000, 7_005));
      })(),
  );

  it(
    'cost no more in the middle than at the beginning, and no more of many tasks than of few',
    setup(async (bundle) => {
      const { backend, queue } = bundle;
      await manyAtOnce(bundle, 10_000);
      const page = (after?: string) => backend.catalog.list(queue, 'waiting', { limit: 10, after });
      const { next } = await backend.catalog.list(queue, 'waiting', { limit: 5_000 });
      const first = await commandsOf(() => page());
      const middle = await commandsOf(() => page(next));
      // The ties are halved until the place is found.
      expect(middle - first).toBeGreaterThan(0);
      expect(middle - first).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(10_000)));
      expect(await commandsOf(() => backend.catalog.glance([queue]))).toBeLessThan(20);
    }),
  );

  it(
    'do not walk over dead tasks whose time is over',
    setup(async (bundle) => {
      const { backend, queue, claim, start, settle, list, advance } = bundle;
      await manyAtOnce(bundle, 2_000);
      for (let rounds = 0; rounds < 2; rounds++) {
        const { tasks } = await claim();
        await backend.tasks.settle(tasks.map((task) => ({ ...task, outcome: endingIn('dead', 60_000) })));
      }
      await advance(60_000);
      await settle(await start({ id: 'kept' }), endingIn('dead', 60_000));
      expect(await client.zcard(`${prefix}:${queue}:dead`)).toBe(2_001);
      const cost = await commandsOf(() => backend.catalog.list(queue, 'dead', { limit: 10 }));
      expect(cost).toBeLessThan(20);
      expect(await list('dead', { limit: 10 })).toEqual(['kept']);
      expect(await list('dead', { limit: 10, backwards: true })).toEqual(['kept']);
    }),
  );
});

describe('The place of a page', () => {
  it(
    'is found by bytes, as the server orders',
    setup(async (bundle) => {
      const { backend, queue, bringTo } = bundle;
      const ids = ['a', 'B', 'ä', 'Z', 'z', '_', '-', 'é', '\u{1f600}', 'ab', 'aB', 'A'];
      for (const id of ids) await bringTo('waiting', { id });
      const key = `${prefix}:${queue}:waiting`;
      // As if all of them had arrived at once under ids that differ in such letters alone.
      const members = ids.map((id) => `0000000001:${id}`);
      await client.del(key);
      await client.zadd(key, ...members.flatMap((member) => ['4398046511104000', member]));
      const inOrder = (await client.zrange(key, '0', '-1')).map((member) => member.slice(11));
      for (const backwards of [false, true]) {
        let after: string | undefined;
        const places: string[] = [];
        for (let n = 0; n < ids.length; n++) {
          const { next } = await backend.catalog.list(queue, 'waiting', { limit: 1, after, backwards });
          if (next) places.push(Buffer.from(next, 'base64url').toString().split(':')[1]!);
          after = next;
        }
        const expected = backwards ? inOrder.toReversed() : inOrder;
        expect(places).toEqual(expected.slice(0, -1));
      }
    }),
  );

  it(
    'is one of its state: the place of another is refused',
    setup(async ({ backend, queue, bringTo }) => {
      for (const id of ['a', 'b']) await bringTo('waiting', { id });
      const { next } = await backend.catalog.list(queue, 'waiting', { limit: 1 });
      for (const state of ['dead', 'scheduled'] as const)
        await expect(backend.catalog.list(queue, state, { limit: 1, after: next })).rejects.toMatchObject({
          code: 'INVALID_OPTION',
        });
    }),
  );
});

describe('A page of large tasks', () => {
  it(
    'is short, and is one answer, however many were asked for; the next one goes on behind it',
    setup(async (bundle) => {
      const { backend, queue, add } = bundle;
      const params = JSON.stringify('x'.repeat(400_000));
      for (let n = 0; n < 7; n++) await add({ id: `large-${n}`, params });
      const before = await calls();
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const { tasks, next } = await backend.catalog.list(queue, 'waiting', { limit: 7, after });
        pages.push(tasks.map(({ id }) => id));
        after = next;
      } while (after !== undefined);
      expect(pages).toEqual([
        ['large-0', 'large-1', 'large-2'],
        ['large-3', 'large-4', 'large-5'],
        ['large-6'],
      ]);
      expect((await calls()) - before).toBe(pages.length);
    }),
  );
});

describe('A glance', () => {
  it(
    'at many queues is one call',
    setup(async ({ backend, queueNamed, enqueue }) => {
      const queues = Array.from({ length: 80 }, (_, n) => queueNamed(`q${n}`));
      for (const queue of queues) await enqueue({ queue });
      await backend.catalog.glance(queues);
      const before = await calls();
      const glances = await backend.catalog.glance(queues);
      expect((await calls()) - before).toBe(1);
      expect(glances.map(({ counts }) => counts.waiting)).toEqual(queues.map(() => 1));
    }),
  );

  it(
    'finds the longest due behind every priority that there is',
    setup(async ({ backend, queue, add, now, about }) => {
      const at = (await now()) - 1_000;
      const priorities = Array.from({ length: 2_001 }, (_, n) => n - 1_000);
      await add(...priorities.map((priority) => ({ priority, due: { at } })));
      await add({ priority: 1_000, due: { at: at - 600_000 } });
      const cost = await commandsOf(async () => {
        expect(await backend.catalog.glance([queue])).toMatchObject([{ oldestWaitingMs: about(601_000) }]);
      });
      expect(cost).toBeGreaterThan(2_001);
      expect(cost).toBeLessThan(2_100);
    }),
  );
});
