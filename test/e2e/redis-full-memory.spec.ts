import { inspect } from 'node:util';
import { beforeAll, afterEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { EnqueueFailedError, Job, type Task } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { gate } from './fixtures/gate.js';
import { newPrefix } from './fixtures/redis-jobs.js';

const leaseMs = 5_000;
let server: OwnRedis;
let admin: Redis;
beforeAll(async () => {
  server = await ownRedis();
  admin = adminOf(server.url);
});
const fill = () => admin.config('SET', 'maxmemory', '1');
const makeRoom = () => admin.config('SET', 'maxmemory', '0');
afterEach(makeRoom);

/** A worker whose two slots are taken by long runs. */
async function startWorker() {
  const ends = { long: gate(), longer: gate() };
  const ran: string[] = [];
  const signals: AbortSignal[] = [];
  @Job({ name: 'Long', queue: 'work', keep: '1h' })
  class Long {
    run(_: void, { id, signal }: Task): Promise<void> {
      signals.push(signal);
      return ends[id as keyof typeof ends].opened;
    }
  }
  @Job({ name: 'Short', queue: 'work', keep: '1h', backoff: '10ms' })
  class Short {
    run(_: string, { id, attempt }: Task): void {
      if (id === 'failing' && attempt === 1) throw new Error('not yet');
      ran.push(id);
    }
  }
  const runner = { concurrency: 2, lease: leaseMs, pollInterval: '200ms' };
  const app = await startApp({
    providers: [Long, Short],
    options: { backend: server.url, prefix: newPrefix(), runner },
    realTime: true,
  });
  for (const id of Object.keys(ends)) await app.jobs.enqueue(Long, undefined, { id });
  await eventually(() => signals.length === 2);
  const task = (id: string) => app.catalog.task({ queue: 'work', id });
  return { ...app, Short, ran, ends, task, signals };
}

describe('A Redis whose memory is full', () => {
  it('refuses new tasks, while those that run are renewed and settled, and those that wait are run', async () => {
    const { jobs, catalog, Short, ran, ends, task, signals } = await startWorker();
    const ids = ['failing', ...Array.from({ length: 20 }, (_, n) => `short ${n}`)];
    for (const id of ids) await jobs.enqueue(Short, '', { id });
    await fill();
    await expect(jobs.enqueue(Short, '', { id: 'refused' })).rejects.toBeInstanceOf(EnqueueFailedError);
    expect(await catalog.counts('work')).toMatchObject({ pending: 2, waiting: ids.length });
    const { leaseEndsAt } = (await task('longer'))!;
    ends.long.open();
    await eventually(() => ran.length === ids.length);
    await eventually(
      async () => (await task('longer'))!.leaseEndsAt!.getTime() > leaseEndsAt!.getTime() + leaseMs,
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    ends.longer.open();
    await eventually(async () => (await catalog.counts('work')).succeeded === ids.length + 2);
    for (const id of Object.keys(ends)) expect(await task(id)).toMatchObject({ attempt: 1, failures: 0 });
    expect(ran.toSorted()).toEqual(ids.toSorted());
    expect(await task('failing')).toMatchObject({ attempt: 2, failures: 1 });

    await makeRoom();
    await jobs.enqueue(Short, '', { id: 'refused' });
    await eventually(() => ran.includes('refused'));
  }, 120_000);

  it('does not make errors that show what tasks carry', async () => {
    const { jobs, Short, ends } = await startWorker();
    await fill();
    const secrets = ['first secret', 'second secret'];
    const calls = [
      ...secrets.map((secret) => jobs.enqueue(Short, secret)),
      jobs.enqueue(Short, secrets[0]!, { id: 'by name' }),
      jobs.bulk((bulk) => {
        for (const secret of secrets) bulk.enqueue(Short, secret);
      }),
    ];
    for (const call of await Promise.allSettled(calls)) {
      const { reason } = call as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(EnqueueFailedError);
      expect(reason.message).toMatch(/OOM/);
      expect(reason.cause).toBeInstanceOf(Error);
      const shown = inspect(reason, { depth: Infinity, showHidden: true });
      expect(shown).toMatch(/OOM/);
      for (const secret of secrets) expect(shown).not.toContain(secret);
    }
    for (const end of Object.values(ends)) end.open();
  });
});
