import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Job, JobsHealth, type Backend } from 'nestjs-jobs';
import type { BackendSettings, LeaseGuard } from '../../lib/backend/backend.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp, type TestAppOptions } from '../support/app.js';
import { ownRedis } from '../support/own-redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { gate } from './fixtures/gate.js';

const url = process.env.TEST_REDIS_URL!;
/** Machines are shared: what is not about time may take its time. */
const patient = { timeout: '10s', eventLoopDelay: '10s' };

interface Changes extends Partial<TestAppOptions['options'] & object> {
  readonly backend?: Backend;
}

async function startHealthy(changes: Changes = {}) {
  const end = gate();
  const started: string[] = [];
  @Job({ queue: 'mail', name: 'Send' })
  class Send {
    async run(params?: string): Promise<void> {
      started.push(params ?? '');
      if (params === 'long') await end.opened;
    }
  }
  const app = await startApp({
    providers: [Send],
    options: {
      backend: redisBackend({ url }),
      prefix: `h${randomUUID().slice(0, 8)}`,
      runner: { pollInterval: '100ms' },
      ...changes,
    },
    realTime: true,
  });
  const health = app.app.get(JobsHealth);
  const codes = async () => (await health.check(patient)).problems.map(({ code }) => code);
  return { ...app, Send, health, codes, end, started };
}

/** A store like this one, but for some of it. */
function changed(store: Backend, parts: Partial<Record<keyof Backend, () => unknown>>): Backend {
  return new Proxy(store, {
    get(target, key) {
      if (Object.hasOwn(parts, key)) return parts[key as keyof Backend]!();
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A store that claims nothing while it is closed, and answers everything else. */
function claimingOnlyWhile(store: Backend, isOpen: () => boolean): Backend {
  return changed(store, {
    tasks: () =>
      new Proxy(store.tasks, {
        get(target, key) {
          if (key === 'claim' && !isOpen()) return () => new Promise(() => undefined);
          const value = Reflect.get(target, key) as unknown;
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      }),
  });
}

describe('The health of a process on Redis', () => {
  it('tells what it has asked: the store, the queues, the runner, the lease thread', async () => {
    const { health, jobs, Send, end, started } = await startHealthy();
    await jobs.enqueue(Send, 'long');
    await eventually(() => started.length === 1);
    const report = await health.check(patient);
    expect(report).toEqual({
      isHealthy: true,
      isReady: true,
      isAlive: true,
      problems: [],
      backend: {
        name: expect.stringContaining('redis'),
        isReachable: true,
        answeredInMs: expect.any(Number),
        durability: expect.stringMatching(/none|snapshots|everysec|always/),
      },
      runner: { state: 'running', running: 1, abandoned: 0 },
      queues: [
        {
          queue: 'mail',
          waiting: 0,
          oldestWaitingMs: undefined,
          isPaused: false,
          lookedAgoMs: expect.any(Number),
          isFull: false,
        },
      ],
      leases: { renewedBy: 'thread', held: 1, soonestEndMs: expect.any(Number), trouble: undefined },
      eventLoop: { delayMs: expect.any(Number), utilization: expect.any(Number) },
    });
    expect(report.leases!.soonestEndMs).toBeGreaterThan(1_000);
    end.open();
  });

  it('is down while the server is, and up when it is back: not ready, but alive', async () => {
    const server = await ownRedis();
    const { health, codes } = await startHealthy({ backend: redisBackend({ url: server.url }) });
    expect(await codes()).toEqual([]);
    await server.kill('SIGKILL');
    await eventually(async () => (await codes()).includes('backend-unreachable'));
    // Also when the runner has not been able to look for long.
    await eventually(async () => (await codes()).includes('runner-not-looking'));
    const report = await health.check(patient);
    expect(report).toMatchObject({
      isHealthy: false,
      isReady: false,
      isAlive: true,
      backend: { isReachable: false, answeredInMs: undefined },
      queues: [{ queue: 'mail', waiting: undefined }],
    });
    await server.restart();
    await eventually(async () => (await health.check(patient)).isHealthy);
  });

  it('is told within the timeout by a server that says nothing', async () => {
    const server = await ownRedis();
    const { health } = await startHealthy({ backend: redisBackend({ url: server.url }) });
    await server.kill('SIGSTOP');
    try {
      const askedAt = Date.now();
      const { problems, isReady, isAlive } = await health.check({ timeout: '300ms', eventLoopDelay: '10s' });
      expect(Date.now() - askedAt).toBeLessThan(5_000);
      expect(problems[0]).toMatchObject({
        code: 'backend-unreachable',
        message: expect.stringContaining('no answer within 300 ms'),
      });
      expect({ isReady, isAlive }).toEqual({ isReady: false, isAlive: true });
    } finally {
      await server.kill('SIGCONT');
    }
  });

  it('shows a runner that does not look, although the store answers: it is no longer alive', async () => {
    let isOpen = true;
    const store = redisBackend({ url });
    const { health, codes } = await startHealthy({ backend: claimingOnlyWhile(store, () => isOpen) });
    await eventually(async () => (await codes()).length === 0);
    isOpen = false;
    await eventually(async () => (await codes()).includes('runner-not-looking'));
    const report = await health.check(patient);
    expect(report).toMatchObject({
      isHealthy: false,
      isReady: true,
      isAlive: false,
      backend: { isReachable: true },
      problems: [{ code: 'runner-not-looking', queue: 'mail', against: ['liveness'] }],
    });
    expect(report.queues[0]!.lookedAgoMs).toBeGreaterThan(5_000);
    isOpen = true;
  });

  it('does not expect a runner to look that has no slot free', async () => {
    const { jobs, codes, Send, end, started, health } = await startHealthy({
      runner: { pollInterval: '100ms', concurrency: 1 },
    });
    await jobs.enqueue(Send, 'long');
    await eventually(() => started.length === 1);
    await eventually(async () => (await health.check(patient)).queues[0]!.lookedAgoMs! > 5_500);
    expect((await health.check(patient)).queues[0]).toMatchObject({ isFull: true });
    expect(await codes()).toEqual([]);
    end.open();
  });

  it('shows a dead lease thread, with which the process goes on', async () => {
    let guard: { worker?: { terminate(): Promise<unknown> } } = {};
    const store = redisBackend({ url });
    const backend = changed(store, {
      guardLeases: () => (settings: Parameters<NonNullable<Backend['guardLeases']>>[0]) => {
        const made = store.guardLeases!(settings);
        guard = made as LeaseGuard & typeof guard;
        return made;
      },
    });
    const { health, codes } = await startHealthy({ backend });
    expect(await codes()).toEqual([]);
    await guard.worker!.terminate();
    await eventually(async () => (await codes()).includes('leases'));
    expect(await health.check(patient)).toMatchObject({
      isHealthy: false,
      isReady: true,
      isAlive: true,
      leases: { renewedBy: 'event-loop' },
      problems: [{ message: expect.stringContaining('the lease thread has ended') }],
    });
  });

  it('shows a lease thread that lives, but has no way to the store, and that it has one again', async () => {
    const proxy = await TcpProxy.to(Number(new URL(url).port));
    const store = redisBackend({ url });
    // The thread alone goes through the proxy.
    const ofThread = redisBackend({ url: proxy.url });
    const backend = changed(store, {
      open: () => async (settings: BackendSettings) => {
        await store.open(settings);
        await ofThread.open(settings);
      },
      close: () => () => Promise.all([store.close(), ofThread.close()]),
      guardLeases: () => ofThread.guardLeases!.bind(ofThread),
    });
    const { jobs, Send, started, codes, health, end } = await startHealthy({
      backend,
      runner: { pollInterval: '100ms', lease: '2s' },
    });
    await jobs.enqueue(Send, 'long');
    await eventually(() => started.length === 1);
    expect(await codes()).toEqual([]);
    proxy.refuse();
    await eventually(async () => (await codes()).includes('leases'));
    expect(await health.check(patient)).toMatchObject({
      isReady: true,
      isAlive: true,
      leases: { renewedBy: 'event-loop', held: 1 },
      problems: [
        {
          message: expect.stringContaining(
            'the lease thread does not renew leases, the main event loop does',
          ),
        },
      ],
    });
    proxy.pass();
    await eventually(async () => (await health.check(patient)).isHealthy);
    end.open();
  });

  it('shows a task that has waited longer than its queue allows, unless the queue is paused', async () => {
    const { jobs, Send, health, catalog } = await startHealthy({ runner: false });
    await jobs.enqueue(Send, 'old', { at: Date.now() - 600_000 });
    await jobs.enqueue(Send, 'other', { queue: 'slow', at: Date.now() - 600_000 });
    const check = (oldestWaiting: string | Record<string, string>) =>
      health.check({ ...patient, oldestWaiting });
    expect(await check('5m')).toMatchObject({
      isHealthy: false,
      isReady: true,
      isAlive: true,
      runner: { state: 'off' },
      queues: [{ queue: 'mail', waiting: 1, oldestWaitingMs: expect.any(Number) }],
      problems: [
        { code: 'waiting-too-long', queue: 'mail', message: expect.stringMatching(/more than 300000 ms/) },
      ],
    });
    expect((await check('1h')).problems).toEqual([]);
    expect((await check({ mail: '1h', slow: '1m' })).problems).toMatchObject([{ queue: 'slow' }]);
    await catalog.pause('mail');
    const paused = await check('5m');
    expect(paused.problems).toEqual([]);
    expect(paused.queues[0]).toMatchObject({ isPaused: true, waiting: 1 });
  });
});
