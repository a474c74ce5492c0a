import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Job, type Task } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { eventually, startApp } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import { leastRights, readme } from '../support/readme.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { settings } from '../backend/conformance/setup.js';

/** The least rights, as the manual lists them. */
const commands = leastRights(readme).server;
const places = ['~jobs:*', '&jobs:*'];

// What is said at each boot is tested elsewhere.
Logger.overrideLogger(false);

let server: OwnRedis;
let admin: Redis;
beforeAll(async () => {
  server = await ownRedis();
  admin = adminOf(server.url);
});

/** The address as a user who may do this and nothing else. */
async function as(user: string, ...rules: string[]): Promise<string> {
  await admin.call('ACL', ['SETUSER', user, 'reset', 'on', '>p', ...rules]);
  return `redis://${user}:p@127.0.0.1:${server.port}`;
}
const allowed = (names: readonly string[]) => names.map((name) => `+${name}`);

/** What the boot of an application says, or nothing where it goes well. */
async function refusalOf(url: string): Promise<string> {
  const backend = redisBackend({ url });
  try {
    await backend.open(settings);
    return '';
  } catch (error) {
    expect(error).toMatchObject({ code: 'UNUSABLE_STORE' });
    return (error as Error).message;
  } finally {
    await backend.close();
  }
}

describe('A user with the least rights', () => {
  it('suffices to enqueue, run, retry, cancel, pause, list and renew', async () => {
    const url = await as('least', ...places, ...allowed(commands), '+info');
    const runs: string[] = [];
    @Job({ queue: 'least', name: 'Least', retries: 2, backoff: '50ms' })
    class Least {
      async run(what: string, task: Task) {
        runs.push(`${what} ${task.attempt}`);
        if (what === 'retried' && task.attempt === 1) throw new Error('once');
        if (what === 'dead') task.fail('for good', { retry: false });
        if (what === 'long') await sleep(3_000);
      }
    }
    const { jobs, catalog, lines } = await startApp({
      providers: [Least],
      options: { backend: url, runner: { lease: '1s', pollInterval: '200ms' } },
      realTime: true,
    });
    await catalog.pause('least');
    const cancelled = await jobs.enqueue(Least, 'cancelled', { in: '1h' });
    expect(await catalog.cancel(cancelled)).toBe('done');
    const later = await jobs.enqueue(Least, 'later', { in: '1h' });
    await jobs.bulk((bulk) => {
      for (const what of ['retried', 'dead', 'long']) bulk.enqueue(Least, what);
    });
    expect(runs).toEqual([]);
    await catalog.runNow(later);
    await catalog.resume('least');
    const expected = ['dead 1', 'later 1', 'long 1', 'retried 1', 'retried 2'];
    await eventually(() => runs.length >= expected.length);
    expect([...runs].sort()).toEqual(expected);
    await eventually(async () => (await catalog.counts('least')).pending === 0);
    const [dead] = (await catalog.tasks({ queue: 'least', state: 'dead' })).tasks;
    expect(await catalog.retry(dead!)).toBe('done');
    await eventually(() => runs.length === expected.length + 1);
    expect(await catalog.queueNames()).toContain('least');
    expect(lines.filter(({ message }) => /NOPERM|permission/.test(message))).toEqual([]);
  });

  it('suffices for schedules', async () => {
    const backend = redisBackend({ url: await as('least', ...places, ...allowed(commands), '+info') });
    await backend.open(settings);
    try {
      const { schedules } = backend;
      const ref = { queue: 'planned', id: 'daily' };
      const rule = {
        job: 'Least',
        rule: 'daily',
        template: '{}',
        nextSlot: 'now' as const,
        isDeclared: true,
      };
      await schedules.put({ ...ref, ...rule }, 'replace');
      await schedules.declare([ref]);
      const { nextSlot: slot, version } = (await schedules.due([{ queue: 'planned', skip: 0 }]))
        .schedules[0]!;
      const task = { job: 'Least', params: '1', priority: 0, due: { inMs: 0 }, retries: 0 };
      const steps = ['a', 'b'].map((id, index) => ({
        ...ref,
        slot: slot + index,
        version,
        passes: slot + index,
        nextSlot: slot + index + 1,
        task: { queue: 'planned', id, token: id, ...task },
        overlap: 'replace' as const,
        skipped: 0,
      }));
      expect(await schedules.advance(steps)).toMatchObject([
        { status: 'advanced', added: { status: 'enqueued' } },
        { status: 'advanced', added: { status: 'enqueued' }, overlaps: 'a' },
      ]);
      await schedules.defer([{ ...ref, nextSlot: slot + 2 }], 60_000);
      expect((await schedules.list('planned', { limit: 1 })).schedules).toEqual([await schedules.get(ref)]);
      expect(await schedules.now('planned')).toBeGreaterThanOrEqual(slot);
      expect(await schedules.pause(ref)).toBe(true);
      expect(await schedules.resume(ref, slot + 2, slot + 60_000)).toBe('resumed');
      expect(await schedules.remove(ref)).toBe(true);
    } finally {
      await backend.close();
    }
  });

  it('suffices to look at queues, notes, figures and runners, and to hear events', async () => {
    const backend = redisBackend({ url: await as('least', ...places, ...allowed(commands), '+info') });
    await backend.open(settings);
    try {
      const { tasks, catalog, stats, events } = backend;
      const heard: string[] = [];
      const stop = await events.listen((text) => heard.push(text));
      const given = { job: 'Least', params: '1', priority: 0, due: { inMs: 0 }, retries: 0 };
      await tasks.add(['a', 'b', 'c'].map((id) => [{ queue: 'seen', id, token: id, ...given }]));
      const queues = [{ queue: 'seen', limit: 1 }];
      const { tasks: claimed } = await tasks.claim({ queues, limit: 1, leaseMs: 1_000, runner: 'r' });
      const notes = { progress: { percent: 50 }, lines: [{ at: 1, message: 'half' }] };
      await tasks.annotate([{ ...claimed[0]!, notes }]);
      expect(await catalog.get({ queue: 'seen', id: 'a' })).toMatchObject(notes);
      const { next } = await catalog.list('seen', 'waiting', { limit: 1 });
      expect(await catalog.list('seen', 'waiting', { limit: 1, after: next })).toMatchObject({
        tasks: [{ id: 'c' }],
      });
      // The claim that finds its lease ended counts it.
      await eventually(async () => {
        await tasks.claim({ queues: [{ queue: 'seen', limit: 0 }], limit: 0, leaseMs: 1, runner: 'r' });
        return (await catalog.glance(['seen']))[0]!.counts.pending === 0;
      });
      expect(await stats.jobs(['seen'])).toMatchObject([{ job: 'Least', lost: 1, dead: 1 }]);
      const runner = {
        name: 'r',
        host: 'h',
        pid: 1,
        version: '1',
        queues: [],
        concurrency: 1,
        running: 0,
        tasks: [],
      };
      const counts = { succeeded: 1, failed: 0, dead: 0, cancelled: 0, lost: 0, runMs: 1, waitMs: 1 };
      const slots = [{ queue: 'seen', id: 's', slot: 1, task: 'a', outcome: 'succeeded' as const }];
      await stats.report({
        runner,
        aliveMs: 60_000,
        runs: [{ queue: 'seen', job: 'Least', ...counts }],
        slots,
      });
      expect(await stats.runners()).toMatchObject([{ name: 'r' }]);
      expect((await stats.throughput('seen')).hours.length).toBeGreaterThan(0);
      expect(await stats.slots({ queue: 'seen', id: 's' })).toEqual([]);
      await stats.leave('r');
      events.send('one');
      await eventually(() => heard.length === 1);
      stop();
    } finally {
      await backend.close();
    }
  });

  it.each(commands)('is told at boot where it may not call %s', async (command) => {
    const others = commands.filter((name) => name !== command);
    const url = await as('fewer', ...places, ...allowed(others), '+info');
    expect(await refusalOf(url)).toMatch(new RegExp(`cannot be used: .*\\b${command}\\b`, 'i'));
  });

  it.each([
    ['keys', ['~other:*', '&jobs:*'], /lacks a right: NOPERM .*keys/],
    ['channels', ['~jobs:*', '&other:*'], /may not run all that scripts need .*'jobs:\*': PUBLISH/],
  ])('is told at boot where it may not use our %s', async (_, places, expected) => {
    expect(await refusalOf(await as('elsewhere', ...places, ...allowed(commands), '+info'))).toMatch(
      expected,
    );
  });

  it.each([
    ['INFO and CONFIG', [], 'unknown'],
    ['INFO', ['+config|get'], 'none'],
    ['CONFIG', ['+info'], 'unknown'],
    ['neither', ['+info', '+config|get'], 'none'],
  ])('may lack %s, and the durability is what can be known then', async (_, more, durability) => {
    const backend = redisBackend({ url: await as('asking', ...places, ...allowed(commands), ...more) });
    await backend.open(settings);
    await backend.close();
    expect(backend.durability).toBe(durability);
  });
});
