import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { handleAll, laneSizes, RawBatches } from '../../side-by-side/child/raw-batches.js';
import type { Payload, System } from '../../side-by-side/system.js';

/** So many params in one command at most. */
const pushSize = 1_000;

/**
 * Forgets as many finished tasks as are given from the head of the taken ones, and takes as many from the waiting ones at
 * most: tasks move from list to list, so that those of a crashed process are still there.
 */
const exchange = `
if ARGV[1] ~= '0' then redis.call('LTRIM', KEYS[2], ARGV[1], -1) end
local taken = redis.call('LPOP', KEYS[1], ARGV[2])
if not taken then return {} end
redis.call('RPUSH', KEYS[2], unpack(taken))
return taken`;

/** The least work that runs each task at least once: lists of params, in batches, and nothing else. */
export const rawRedis: System = {
  async produce(url, queue) {
    const redis = new Redis(url);
    const push = (all: readonly Payload[]) =>
      redis.rpush(queue, ...all.map((params) => JSON.stringify(params)));
    const batches = new RawBatches(push, Infinity);
    return {
      add: (params) => batches.add(params),
      async addBulk(all) {
        const pushed = [];
        for (let from = 0; from < all.length; from += pushSize)
          pushed.push(push(all.slice(from, from + pushSize)));
        await Promise.all(pushed);
      },
      close: () => redis.quit(),
    };
  },

  async consume({ url, queues: [queue], concurrency }, handle) {
    const clients: Redis[] = [];
    const open = () => {
      const client = new Redis(url);
      // One that is cut off while it waits was cut off by `close`.
      client.on('error', () => undefined);
      clients.push(client);
      return client;
    };
    const redis = open();
    const script = (await redis.script('LOAD', exchange)) as string;
    let isClosed = false;
    const lane = async (size: number) => {
      const blocking = open();
      const taken = `${queue}:${randomUUID()}`;
      for (let finished = 0; !isClosed;) {
        let texts = (await redis.evalsha(script, 2, queue!, taken, finished, size)) as string[];
        if (texts.length === 0) {
          const text = await blocking.blmove(queue!, taken, 'LEFT', 'RIGHT', 0);
          texts = text === null ? [] : [text];
        }
        await handleAll(texts, handle);
        finished = texts.length;
      }
    };
    const lanes = Promise.all(laneSizes(concurrency).map(lane)).catch((error: unknown) => {
      if (!isClosed) console.error('raw limit:', error);
    });
    return {
      async close() {
        isClosed = true;
        for (const client of clients) client.disconnect();
        await lanes;
      },
    };
  },
};
