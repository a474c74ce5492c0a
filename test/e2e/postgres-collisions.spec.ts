import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Job } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_POSTGRES_URL!;
const database = `serializable_${randomUUID().slice(0, 8)}`;
let admin: pg.Pool;

/** A database in which every transaction is serializable unless it says otherwise. */
beforeAll(async () => {
  admin = new pg.Pool({ connectionString: url, max: 2 });
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.query(`ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`);
});
afterAll(async () => {
  await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
  await admin.end();
});

const serializable = () => {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
};

describe.each([
  ['read committed', () => url],
  ['serializable', serializable],
])('Transactions that are in each other’s way, %s', (_, addressOf) => {
  it('all get an answer where two bulks have the same ids in opposite order', async () => {
    const options = { backend: addressOf(), prefix: newPrefix(), runner: false as const };
    @Job({ name: 'Same', queue: 'same' })
    class Same {
      run(_n: number) {}
    }
    const apps = await Promise.all([1, 2].map(() => startApp({ options, realTime: true })));
    const ids = Array.from({ length: 20 }, (_, n) => `id-${n}`);
    const rounds = 40;
    for (let round = 0; round < rounds; round++) {
      const orders = [ids, ids.toReversed()].map((order) => order.map((id) => `${round}-${id}`));
      const answers = await Promise.all(
        apps.map(({ jobs }, at) =>
          jobs.bulk((bulk) => {
            for (const id of orders[at]!) bulk.enqueue(Same, round, { id });
          }),
        ),
      );
      const statuses = answers.flat().map(({ status }) => status);
      expect(statuses.filter((status) => status === 'enqueued')).toHaveLength(ids.length);
      expect(statuses.filter((status) => status === 'existing')).toHaveLength(ids.length);
    }
    expect((await apps[0]!.catalog.counts('same')).waiting).toBe(rounds * ids.length);
  });

  it('do not keep tasks from being run, each once, by two applications', async () => {
    const prefix = newPrefix();
    const { Counting, runs, queue } = counting();
    const options = { backend: addressOf(), prefix, runner: { pollInterval: '200ms' } } as const;
    const apps = await Promise.all(
      [1, 2].map(() => startApp({ providers: [Counting], options, realTime: true })),
    );
    const total = 1_000;
    const calls = Array.from({ length: total }, (_, n) => apps[n % 2]!.jobs.enqueue(Counting, n));
    await Promise.all(calls);
    await eventually(() => runs.length >= total);
    await eventually(() => isDone(apps[0]!.catalog, queue));
    expect(runs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: total }, (_, n) => n));
    const troubles = apps.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error'));
    expect(troubles).toEqual([]);
  });
});

describe('A database in which every transaction is serializable', () => {
  it('lets several applications begin at once, on an empty schema', async () => {
    const prefix = newPrefix();
    const options = { backend: serializable(), prefix, runner: false as const };
    const apps = await Promise.all(Array.from({ length: 6 }, () => startApp({ options, realTime: true })));
    expect(apps).toHaveLength(6);
  });
});
