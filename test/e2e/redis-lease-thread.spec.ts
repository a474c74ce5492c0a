import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { Job, LeaseLostError, TaskCancelledError, type Backend, type Task } from 'nestjs-jobs';
import type { LeaseGuard } from '../../lib/backend/backend.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp } from '../support/app.js';
import { ageRedisQueue } from '../support/redis-time.js';
import { gate } from './fixtures/gate.js';
import { namesOnServer, threads } from './fixtures/lease-threads.js';
import { down } from './fixtures/troubled-store.js';

const url = process.env.TEST_REDIS_URL!;
const leaseMs = 10_000;
let admin: Redis;
beforeAll(() => {
  admin = new Redis(url);
});
afterAll(() => admin.quit());

interface Changes {
  readonly options?: RedisOptions;
  readonly lease?: number;
  /** What the application gets instead of parts of the backend. */
  readonly tasks?: (tasks: Backend['tasks']) => Backend['tasks'];
  readonly bell?: Backend['bell'];
  readonly guarded?: (guard: LeaseGuard | undefined) => void;
}

function changed(real: Backend, { tasks, bell, guarded }: Changes): Backend {
  return {
    name: real.name,
    get tasks() {
      return tasks?.(real.tasks) ?? real.tasks;
    },
    get schedules() {
      return real.schedules;
    },
    get catalog() {
      return real.catalog;
    },
    get stats() {
      return real.stats;
    },
    get events() {
      return real.events;
    },
    get bell() {
      return bell ?? real.bell;
    },
    open: (settings) => real.open(settings),
    close: () => real.close(),
    guardLeases: (settings) => {
      const guard = real.guardLeases!(settings);
      guarded?.(guard);
      return guard;
    },
  };
}

/** An application with a job that runs until its gate opens. */
async function startLong(changes: Changes = {}) {
  const prefix = `l${randomUUID().slice(0, 8)}`;
  const end = gate();
  const signals: AbortSignal[] = [];
  @Job({ queue: 'long', name: 'Long', keep: '1h' })
  class Long {
    run(_: void, { signal }: Task): Promise<void> {
      signals.push(signal);
      return end.opened;
    }
  }
  const backend = changed(redisBackend({ url, options: changes.options }), changes);
  const app = await startApp({
    providers: [Long],
    options: { backend, prefix, runner: { lease: changes.lease ?? leaseMs, pollInterval: '200ms' } },
    realTime: true,
  });
  await app.jobs.enqueue(Long, undefined, { id: 'it' });
  await eventually(() => signals.length === 1);
  const task = () => app.catalog.task({ queue: 'long', id: 'it' });
  return { ...app, prefix, end, signal: signals[0]!, task };
}

/** The main event loop renews nothing: what is renewed, the thread has renewed. */
const withoutOwnRenewals = (tasks: Backend['tasks']): Backend['tasks'] => ({
  add: (groups) => tasks.add(groups),
  claim: (request) => tasks.claim(request),
  settle: (settlements) => tasks.settle(settlements),
  renew: down,
  annotate: (notes) => tasks.annotate(notes),
  unpark: (...args) => tasks.unpark(...args),
});

/** Rings are not heard. */
const deaf: Backend['bell'] = {
  lossless: false,
  ring: () => undefined,
  listen: async () => () => undefined,
  listenToSchedules: async () => () => undefined,
};

/** A guard, seen as what can be killed. */
interface Thread {
  worker?: { terminate(): Promise<unknown> };
}

describe('The lease thread', () => {
  it('renews leases by itself, while the main event loop renews none', async () => {
    const { task, end, signal, lines } = await startLong({ tasks: withoutOwnRenewals });
    const beganAt = Date.now();
    const first = (await task())!.leaseEndsAt!;
    await eventually(async () => (await task())!.leaseEndsAt!.getTime() > first.getTime() + leaseMs);
    expect(Date.now() - beganAt).toBeGreaterThan(leaseMs);
    expect(signal.aborted).toBe(false);
    end.open();
    await eventually(async () => (await task())?.state === 'succeeded');
    expect(await task()).toMatchObject({ attempt: 1, failures: 0 });
    expect(lines.filter(({ level, context }) => level === 'warn' && context === 'JobRunner')).toEqual([]);
  });

  it('brings a cancellation to the signal when the bell is not heard', async () => {
    const { catalog, task, signal, end } = await startLong({
      tasks: withoutOwnRenewals,
      bell: deaf,
    });
    await catalog.cancel({ queue: 'long', id: 'it' });
    await eventually(() => signal.aborted);
    expect(signal.reason).toBeInstanceOf(TaskCancelledError);
    end.fail(new Error('stopped'));
    await eventually(async () => (await task())?.state === 'cancelled');
  });

  it('aborts the signal of a task that another runner has by now', async () => {
    const { prefix, signal, end, task } = await startLong({ tasks: withoutOwnRenewals });
    const other = redisBackend({ url });
    await other.open({ prefix, deadKeepMs: 1_000, cancelledKeepMs: 1_000, enqueueTimeoutMs: 5_000 });
    await eventually(async () => {
      await ageRedisQueue(admin, prefix, 'long', 2 * leaseMs);
      const queues = [{ queue: 'long', limit: 1 }];
      const { tasks } = await other.tasks.claim({ queues, limit: 1, leaseMs: 60_000, runner: 'another' });
      return tasks.length === 1;
    });
    await eventually(() => signal.aborted);
    expect(signal.reason).toBeInstanceOf(LeaseLostError);
    end.open();
    await other.close();
    expect(await task()).toMatchObject({ state: 'pending', runner: 'another' });
  });

  it('is not there where the options cannot be handed to it: that is said, and a timer renews', async () => {
    const before = threads();
    const { task, end, lines, signal } = await startLong({ options: { natMap: () => null } });
    expect(threads()).toBe(before);
    expect(lines).toContainEqual({
      level: 'warn',
      context: 'JobRunner',
      message:
        "leases are renewed by the main event loop, since the Redis option 'natMap' cannot be handed to another thread: " +
        'a handler that blocks it loses its task',
    });
    const first = (await task())!.leaseEndsAt!;
    await eventually(async () => (await task())!.leaseEndsAt!.getTime() > first.getTime() + leaseMs);
    end.open();
    await eventually(async () => (await task())?.state === 'succeeded');
    expect(signal.aborted).toBe(false);
  });

  it('connects like a client of the application, whose options ioredis has completed', async () => {
    const client = new Redis(url, { lazyConnect: true });
    const app = await startApp({
      options: { backend: redisBackend({ client }), prefix: 'like', runner: { queues: ['a'] } },
      realTime: true,
    });
    await eventually(async () => (await namesOnServer(admin)).includes('like:leases'));
    expect(app.lines.filter(({ level, context }) => level === 'warn' && context === 'JobRunner')).toEqual([]);
    client.disconnect();
  });

  it('that dies is told of, and the main event loop takes over', async () => {
    let thread: Thread = {};
    const { task, end, lines, signal } = await startLong({
      guarded: (guard) => (thread = guard as unknown as Thread),
    });
    await thread.worker!.terminate();
    await eventually(() => lines.some(({ message }) => message.includes('since the lease thread has ended')));
    const first = (await task())!.leaseEndsAt!;
    await eventually(async () => (await task())!.leaseEndsAt!.getTime() > first.getTime() + leaseMs);
    end.open();
    await eventually(async () => (await task())?.state === 'succeeded');
    expect(signal.aborted).toBe(false);
    expect(await task()).toMatchObject({ attempt: 1, failures: 0 });
  });
});

describe('A runner that can renew by no way', () => {
  it('aborts its signals before the leases end', async () => {
    let thread: Thread = {};
    const { task, signal, end } = await startLong({
      lease: 10_000,
      tasks: withoutOwnRenewals,
      guarded: (guard) => (thread = guard as unknown as Thread),
    });
    await thread.worker!.terminate();
    let abortedAt = 0;
    signal.addEventListener('abort', () => (abortedAt = Date.now()));
    const { leaseEndsAt } = (await task())!;
    await eventually(() => abortedAt > 0);
    expect(signal.reason).toBeInstanceOf(LeaseLostError);
    expect(abortedAt).toBeLessThan(leaseEndsAt!.getTime());
    end.open();
    // Nobody has claimed it meanwhile.
    await eventually(async () => (await task())?.state === 'succeeded');
  });
});
