import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Job } from 'nestjs-jobs';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp } from '../support/app.js';
import { makeOwnBuild } from '../support/own-build.js';

const url = process.env.TEST_REDIS_URL!;
let own: Awaited<ReturnType<typeof makeOwnBuild>>;
let admin: Redis;
const workers = new Set<ChildProcess>();

beforeAll(async () => {
  own = await makeOwnBuild();
  admin = new Redis(url);
}, 120_000);

afterEach(() => {
  for (const worker of workers) worker.kill('SIGKILL');
});

afterAll(async () => {
  await own.remove();
  await admin.quit();
});

async function startWorkerWith(concurrency: number, prefix: string): Promise<ChildProcess> {
  const args = [
    join(process.cwd(), 'test/e2e/fixtures/redis-worker.mjs'),
    own.directory,
    url,
    prefix,
    String(concurrency),
    // As many tasks in a second, however many run at once.
    String(concurrency * 4),
  ];
  const worker = spawn(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.add(worker);
  worker.once('exit', () => workers.delete(worker));
  await new Promise<void>((resolve, reject) => {
    worker.stdout!.once('data', () => resolve());
    worker.once('exit', (code) => reject(new Error(`a worker ended early with ${code}`)));
  });
  return worker;
}

async function notesOf(prefix: string) {
  const lines = (await admin.lrange(`${prefix}:notes`, 0, -1)).map((line) => line.split(' '));
  const count = (what: string) => lines.filter(([kind]) => kind === what);
  return { began: count('began'), ended: new Set(count('ended').map(([, n]) => Number(n))) };
}

/** Stores the tasks as an application that only enqueues. */
async function enqueue(prefix: string, total: number) {
  @Job({ queue: 'noted', name: 'Noted', retries: 50 })
  class Noted {
    run(_n: number) {}
  }
  const app = await startApp({
    options: { backend: redisBackend({ url }), prefix, runner: false },
    realTime: true,
  });
  await app.jobs.bulk((bulk) => {
    for (let n = 0; n < total; n++) bulk.enqueue(Noted, n);
  });
  return app;
}

describe.each([10, 64])('Several processes with %d slots on one Redis', (concurrency) => {
  const startWorker = (prefix: string) => startWorkerWith(concurrency, prefix);

  it('share the tasks, and run none twice while all live', async () => {
    const prefix = `p${randomUUID().slice(0, 8)}`;
    const total = 1_000;
    const { catalog } = await enqueue(prefix, total);
    await Promise.all([startWorker(prefix), startWorker(prefix), startWorker(prefix)]);
    await eventually(async () => (await notesOf(prefix)).ended.size === total, 60_000);
    const { began } = await notesOf(prefix);
    expect(began).toHaveLength(total);
    await eventually(async () => (await catalog.counts('noted')).pending === 0);
  }, 120_000);

  it('lose none when processes are killed at random, and run few again', async () => {
    const prefix = `p${randomUUID().slice(0, 8)}`;
    const total = 3_000;
    const { catalog } = await enqueue(prefix, total);
    await Promise.all([startWorker(prefix), startWorker(prefix), startWorker(prefix)]);
    const kills = 6;
    const successors: Promise<ChildProcess>[] = [];
    for (let killed = 0; killed < kills; killed++) {
      await sleep(300);
      const victims = [...workers];
      victims[Math.floor(Math.random() * victims.length)]!.kill('SIGKILL');
      successors.push(startWorker(prefix));
      successors.at(-1)!.catch(() => undefined);
    }
    const lastKillAt = Date.now();
    expect((await notesOf(prefix)).ended.size).toBeLessThan(total);
    await eventually(async () => (await notesOf(prefix)).ended.size === total, 120_000);
    const { began, ended } = await notesOf(prefix);
    expect(ended.size).toBe(total);
    expect(began.length - total).toBeLessThanOrEqual(kills * concurrency);
    await eventually(async () => {
      const { waiting, scheduled, pending, dead, parked } = await catalog.counts('noted');
      return waiting + scheduled + pending + dead + parked === 0;
    });
    // Each lost task came back within its lease and a sweep, ten times that for a slow machine; the others take their time.
    const times = new Map<string, number[]>();
    for (const [, n, at] of began) times.set(n!, [...(times.get(n!) ?? []), Number(at)]);
    const [lost, others] = [[...times.values()].filter((at) => at.length > 1), [...times.values()].flat()];
    const restMs = Math.max(...others.filter((at) => !lost.flat().includes(at)), lastKillAt) - lastKillAt;
    expect(Math.max(...lost.flat(), lastKillAt) - lastKillAt).toBeLessThan(restMs + 25_000);
  }, 240_000);
});
