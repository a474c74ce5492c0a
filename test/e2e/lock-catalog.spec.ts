import { describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { newPrefix } from './fixtures/redis-jobs.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp } from '../support/app.js';

const redis = () => ({ backend: redisBackend({ url: process.env.TEST_REDIS_URL! }), prefix: newPrefix() });

async function start(backend: object, isRunning: boolean) {
  const runs: string[] = [];
  let open: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  @Job({ queue: 'mail', name: 'Mail', unique: { lock: 'until_completed' } })
  class Mail {
    async run(to: string) {
      runs.push(to);
      await gate;
    }
  }
  @Job({ queue: 'mail', name: 'Plain' })
  class Plain {
    run() {}
  }
  const app = await startApp({
    options: { ...backend, runner: isRunning ? {} : { autoStart: false } },
    providers: [Mail, Plain],
    realTime: true,
  });
  return { ...app, Mail, Plain, runs, open: open! };
}

describe.each([
  ['memory', () => ({ backend: 'memory:' })],
  ['redis', redis],
])('The catalog on %s', (_name, backend) => {
  it('shows the lock of a task and who holds it', async () => {
    const { jobs, catalog, Mail, Plain } = await start(backend(), false);
    const { id } = await jobs.enqueue(Mail, 'ada');
    const lock = (await catalog.lock(id))!;
    expect(lock).toEqual({
      queue: 'mail',
      key: expect.stringMatching(/^[\w-]{22}$/),
      phase: 'until_completed',
      holder: id,
    });
    expect(await catalog.locks('mail')).toEqual({ locks: [lock] });
    const plain = await jobs.enqueue(Plain);
    expect(await catalog.lock({ queue: 'mail', id: plain.id })).toBeUndefined();
    expect(await catalog.lock('nobody')).toBeUndefined();

    await catalog.cancel(id);
    expect(await catalog.lock(id)).toEqual({ ...lock, holder: undefined });
    const next = await jobs.enqueue(Mail, 'ada');
    expect(await catalog.lock(id)).toEqual({ ...lock, holder: next.id });
    expect(await catalog.retry(id)).toBe('taken');
  });

  it('shows the locks of a queue page by page', async () => {
    const { jobs, catalog, Mail } = await start(backend(), false);
    const enqueued = await jobs.bulk((bulk) => {
      for (let n = 0; n < 25; n++) bulk.enqueue(Mail, `reader ${n}`);
    });
    const holders: string[] = [];
    for (let after: string | undefined, pages = 0; pages === 0 || after !== undefined; pages++) {
      const page = await catalog.locks('mail', { limit: 10, after });
      holders.push(...page.locks.map(({ holder }) => holder));
      after = page.next;
    }
    expect(holders.toSorted()).toEqual(enqueued.map(({ id }) => id).toSorted());
  });

  it('frees a stuck lock: the next task runs beside the one that held it, and keeps what it took', async () => {
    const { jobs, catalog, Mail, runs, open } = await start(backend(), true);
    const first = await jobs.enqueue(Mail, 'ada');
    await eventually(() => runs.length === 1);
    expect(await jobs.enqueue(Mail, 'ada')).toMatchObject({ status: 'rejected', holder: first.id });

    expect(await catalog.releaseLock(first.id)).toBe('done');
    expect(await catalog.releaseLock(first.id)).toBe('left');
    const second = await jobs.enqueue(Mail, 'ada');
    expect(second.status).toBe('enqueued');
    await eventually(() => runs.length === 2);
    const lock = (await catalog.lock(second.id))!;
    expect(lock.holder).toBe(second.id);
    expect(await catalog.releaseLock(first.id)).toBe('left');
    expect(await catalog.releaseLock({ ...lock, holder: first.id })).toBe('missing');
    expect((await catalog.lock(second.id))!.holder).toBe(second.id);

    open();
    await eventually(async () => (await catalog.counts('mail')).pending === 0);
    expect(await catalog.locks('mail')).toEqual({ locks: [] });
    expect(await catalog.releaseLock(lock)).toBe('missing');
    expect(await catalog.releaseLock('nobody')).toBe('missing');
  });

  it('frees a lock by queue and key', async () => {
    const { jobs, catalog, Mail } = await start(backend(), false);
    const { id } = await jobs.enqueue(Mail, 'ada');
    const { queue, key } = (await catalog.lock(id))!;
    expect(await catalog.releaseLock({ queue, key: 'another' })).toBe('missing');
    expect(await catalog.releaseLock({ queue, key })).toBe('done');
    expect((await jobs.enqueue(Mail, 'ada')).status).toBe('enqueued');
  });
});
