import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { makeOwnBuild } from '../support/own-build.js';
import { isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;
const fixture = join(process.cwd(), 'test/e2e/fixtures/redis-stopped-worker.mjs');
const workers = new Set<ChildProcess>();
let own: Awaited<ReturnType<typeof makeOwnBuild>>;

beforeAll(async () => {
  own = await makeOwnBuild();
}, 120_000);
afterEach(() => {
  for (const worker of workers) worker.kill('SIGKILL');
  workers.clear();
});
afterAll(() => own.remove());

/** A process of its own, and all that it has said. */
async function startWorker(prefix: string, mode: 'hold' | 'end') {
  const worker = spawn(process.execPath, [fixture, own.directory, url, prefix, mode], {
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  workers.add(worker);
  let said = '';
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (text) => (said += text));
  await eventually(() => /^ready$/m.test(said));
  return { kill: (signal: NodeJS.Signals) => worker.kill(signal), said: () => said };
}

describe('A worker that stands still past its lease', () => {
  it('loses its task to another, is told by its signal, and its late outcome is refused', async () => {
    @Job({ queue: 'held', name: 'Held', retries: 5 })
    class Held {
      run() {}
    }
    const prefix = newPrefix();
    const { jobs, catalog } = await startApp({
      options: { backend: url, prefix, runner: false },
      realTime: true,
    });
    const stopped = await startWorker(prefix, 'hold');
    const { id } = await jobs.enqueue(Held);
    await eventually(() => /began attempt 1/.test(stopped.said()));
    stopped.kill('SIGSTOP');

    const other = await startWorker(prefix, 'end');
    await eventually(() => /began attempt 2\nended/.test(other.said()));
    await eventually(() => isDone(catalog, 'held'));
    expect(stopped.said()).not.toContain('aborted');

    stopped.kill('SIGCONT');
    await eventually(() => /aborted by LEASE_LOST\nended/.test(stopped.said()));
    await eventually(() => new RegExp(`task ${id}.*lost`).test(stopped.said()));
    expect(await catalog.task({ queue: 'held', id })).toBeUndefined();
    expect(other.said().match(/began/g)).toHaveLength(1);
  });
});
