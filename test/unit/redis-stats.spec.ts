import { describe, expect, it } from '@jest/globals';
import type { RedisConnection } from '../../lib/backend/redis/redis-connection.js';
import { RedisStats } from '../../lib/backend/redis/redis-stats.js';

/** Two parts of a store, each of which answers with a job per queue. */
const connection = {
  sharing: (items: readonly { queue: string }[]) => [
    items.filter((_, index) => index % 2 === 1),
    items.filter((_, index) => index % 2 === 0),
  ],
  run: async (_script: string, queues: readonly string[]) => [
    '0',
    ...queues.flatMap((_queue, index) => [String(index), 'Job', '1|0|0|0|0|1|1|1||']),
  ],
} as unknown as RedisConnection;

describe('The jobs of many queues in Redis', () => {
  it('come in the order asked for, with no search among all queues for each', async () => {
    const queues = Array.from({ length: 300 }, (_, index) => `tenant-${(index * 7) % 300}`);
    const unsearchable = Object.assign([...queues], {
      indexOf: () => {
        throw new Error('searched: with thousands of queues that blocks the event loop');
      },
    });
    const figures = await new RedisStats(connection).jobs(unsearchable);
    expect(figures.map(({ queue }) => queue)).toEqual(queues);
  });
});
