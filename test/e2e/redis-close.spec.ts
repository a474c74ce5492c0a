import { expect, it } from '@jest/globals';
import { eventually, startApp } from '../support/app.js';
import { counting, newPrefix } from './fixtures/redis-jobs.js';

const servers = [
  ['one Redis', process.env.TEST_REDIS_URL!],
  ['a cluster', process.env.TEST_REDIS_CLUSTER_URL!],
];

/** Sockets and timers that keep the process alive. */
const open = () => process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind)).length;

it.each(servers)(
  'an application on %s that has been closed has no socket and no timer left',
  async (what, url) => {
    const before = open();
    const { Counting, runs } = counting();
    const { app, jobs } = await startApp({
      providers: [Counting],
      options: { backend: url, prefix: newPrefix() },
      realTime: true,
    });
    await jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    expect(open()).toBeGreaterThan(before);
    await app.close();
    // What follows the cluster ends a moment later.
    if (what === 'a cluster') await eventually(() => open() <= before);
    expect(open()).toBeLessThanOrEqual(before);
  },
);
