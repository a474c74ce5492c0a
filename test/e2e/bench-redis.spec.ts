import { describe, expect, test } from '@jest/globals';
import { openProbe } from '../bench/redis/child/probe.js';
import { systems } from '../bench/redis/child/systems.js';
import { redisBench, redisMeasures } from '../bench/redis/redis-store.js';
import { ours, raw } from '../bench/side-by-side/system.js';
import { askHere, faultsOf, tiny } from '../support/bench-here.js';
import { adminOf, ownRedis } from '../support/own-redis.js';

/** What only ours has, or what the raw limit leaves out. */
const withoutRaw = ['queues', 'features', 'unique', 'due', 'idle', 'flat'];

describe('The benchmark on Redis', () => {
  const opened = (async () => {
    const { url } = await ownRedis();
    const bench = redisBench(url, adminOf(url), tiny([ours, raw]), askHere(systems, openProbe));
    return { ...bench, say: () => undefined };
  })();

  test.each(Object.keys(redisMeasures))('measures %s', async (name) => {
    const bench = await opened;
    const figures = await redisMeasures[name]!(bench);
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.flatMap(faultsOf)).toEqual([]);
    const measured = withoutRaw.includes(name) ? [ours] : [ours, raw];
    for (const { values } of figures) expect(Object.keys(values)).toEqual(measured);
    expect(await bench.admin.dbsize()).toBe(0);
  });
});
