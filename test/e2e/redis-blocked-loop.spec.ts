import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Job, type RunnerOptions } from 'nestjs-jobs';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp } from '../support/app.js';
import { makeOwnBuild } from '../support/own-build.js';

const url = process.env.TEST_REDIS_URL!;
const leaseMs = 6_000;
let own: Awaited<ReturnType<typeof makeOwnBuild>>;
let admin: Redis;
const folder = mkdtempSync(join(tmpdir(), 'nestjs-jobs-blocked-'));
const workers = new Set<ChildProcess>();

beforeAll(async () => {
  own = await makeOwnBuild();
  admin = new Redis(url);
}, 120_000);

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await eventually(() => workers.size === 0);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await own.remove();
  await admin.quit();
});

/** Two worker processes that look for tasks all the time; the one that gets the task blocks until `unblock`. */
async function startTwo(runner: RunnerOptions = {}) {
  const prefix = `b${randomUUID().slice(0, 8)}`;
  const file = join(folder, prefix);
  const settings = { concurrency: 2, lease: leaseMs, pollInterval: '200ms', ...runner };
  const fixture = join(process.cwd(), 'test/e2e/fixtures/blocking-worker.mjs');
  const args = [fixture, own.directory, url, prefix, JSON.stringify(settings), file];
  await Promise.all([startWorker(args), startWorker(args)]);
  @Job({ queue: 'blocking', name: 'Blocking', retries: 5, keep: '1h' })
  class Blocking {
    run() {}
  }
  const options = { backend: redisBackend({ url }), prefix, runner: false as const };
  const { jobs, catalog } = await startApp({ options, realTime: true });
  const pidsOf = (what: string) =>
    (existsSync(`${file}.notes`) ? readFileSync(`${file}.notes`, 'utf8') : '')
      .split('\n')
      .filter((line) => line.startsWith(what))
      .map((line) => line.split(' ')[2]);
  return {
    prefix,
    /** The processes in which a run began, or ended, in order. */
    began: (id = '') => pidsOf(`began ${id}`),
    ended: (id = '') => pidsOf(`ended ${id}`),
    task: (id = 'first') => catalog.task({ queue: 'blocking', id }),
    unblock: () => writeFileSync(file, ''),
    /** Answers when the first has begun. */
    async begin(ids = ['first'], timeout?: string) {
      await jobs.bulk((bulk) => {
        for (const id of ids) bulk.enqueue(Blocking, undefined, { id, timeout });
      });
      await eventually(() => pidsOf('began first').length === 1);
      return Date.now();
    },
  };
}

async function startWorker(args: string[]): Promise<void> {
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
}

/** The connections of lease threads, by id. */
async function threadConnections(prefix: string): Promise<string[]> {
  const lines = String(await admin.client('LIST')).split('\n');
  return lines
    .filter((line) => line.includes(`name=${prefix}:leases `))
    .map((line) => /^id=(\d+)/.exec(line)![1]!);
}

describe('A handler that blocks the event loop', () => {
  it('for more than three leases keeps what its process holds, although another looks for it', async () => {
    const two = await startTwo();
    const beganAt = await two.begin(['first', 'second']);
    await eventually(() => Date.now() - beganAt > 3.5 * leaseMs);
    for (const id of ['first', 'second'])
      expect(await two.task(id)).toMatchObject({ state: 'pending', attempt: 1 });
    two.unblock();
    for (const id of ['first', 'second']) {
      await eventually(async () => (await two.task(id))?.state === 'succeeded');
      expect(await two.task(id)).toMatchObject({ attempt: 1, failures: 0 });
      expect(two.began(id)).toHaveLength(1);
    }
  }, 120_000);

  it('keeps its task also where the connection of its lease thread is cut meanwhile', async () => {
    const two = await startTwo();
    const beganAt = await two.begin();
    await eventually(() => Date.now() - beganAt > leaseMs / 2);
    const cut = await threadConnections(two.prefix);
    expect(cut).toHaveLength(2);
    for (const id of cut) await admin.client('KILL', 'ID', Number(id));
    await eventually(
      async () => (await threadConnections(two.prefix)).filter((id) => !cut.includes(id)).length === 2,
    );
    await eventually(() => Date.now() - beganAt > 3.5 * leaseMs);
    two.unblock();
    await eventually(async () => (await two.task())?.state === 'succeeded');
    expect(await two.task()).toMatchObject({ attempt: 1, failures: 0 });
    expect(two.began()).toHaveLength(1);
  }, 120_000);

  it.each([
    ['its timeout', {}, '1s'],
    ['`blockedLimit`', { blockedLimit: '2s' }, undefined],
  ])(
    'past %s loses its task to another process, whose outcome counts',
    async (_, runner, timeout) => {
      const two = await startTwo(runner);
      await two.begin(['first'], timeout);
      await eventually(() => two.ended().length === 1);
      const [first, second] = two.began();
      expect(second).not.toBe(first);
      await eventually(async () => (await two.task())?.state === 'succeeded');
      expect(await two.task()).toMatchObject({
        attempt: 2,
        failures: 1,
        errors: [{ name: 'LeaseLostError' }],
      });
      two.unblock();
      await eventually(() => two.ended().length === 2);
      expect(two.ended()).toEqual([second, first]);
      expect(await two.task()).toMatchObject({ state: 'succeeded', attempt: 2, failures: 1 });
    },
    120_000,
  );
});
