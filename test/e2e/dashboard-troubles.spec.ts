import { describe, expect, it } from '@jest/globals';
import type { Overview } from '../../lib/dashboard/api.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { Job, memoryBackend } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { ownRedis } from '../support/own-redis.js';
import { allJobs, closeGate, Dig, gate, KeepSecret, LoseLetter } from './fixtures/dashboard-jobs.js';
import { listen, places, startDashboard } from './fixtures/dashboard-stage.js';

@Job({ queue: 'mute' })
class Mute {
  run() {}
}

describe('What is wrong', () => {
  const troubles = async (get: (path: string) => Promise<{ body: any }>) =>
    ((await get('overview')).body as Overview).troubles;

  it('is a queue that has work and no runner', async () => {
    const { jobs, get } = await startDashboard({ providers: allJobs, jobs: { runner: false } });
    expect(await troubles(get)).toEqual([]);
    await jobs.enqueue(Dig, undefined, { in: '1h' });
    await jobs.enqueue(LoseLetter);
    await jobs.enqueue(LoseLetter);
    await eventually(async () => (await troubles(get)).length > 0);
    expect(await troubles(get)).toMatchObject([
      {
        code: 'no-runner',
        level: 'error',
        queue: 'mail',
        message: expect.stringMatching(
          /^2 tasks of queue 'mail' wait, and no live process runs it; the oldest has been due for .+\.$/,
        ),
        advice: expect.stringContaining('Start a process that runs this queue'),
      },
    ]);
  });

  it('is a task that waits for longer than its bound, also behind a pause that somebody forgot', async () => {
    const { jobs, get, catalog } = await startDashboard({
      providers: allJobs,
      jobs: { runner: { queues: [{ name: 'slow', concurrency: 1 }, 'mail'] } },
      dashboard: { troubles: { oldestWaiting: { slow: 0, mail: 0 } } },
    });
    closeGate();
    await catalog.pause('mail');
    await jobs.enqueue(LoseLetter);
    await jobs.enqueue(Dig);
    await jobs.enqueue(Dig);
    const found = async () =>
      (await troubles(get)).map(({ code, queue, level }) => [code, queue, level]).sort();
    await eventually(async () => (await found()).length === 2);
    expect(await found()).toEqual([
      ['paused-with-work', 'mail', 'warning'],
      ['waiting-too-long', 'slow', 'error'],
    ]);
    await catalog.pause('mail', { for: '1h' });
    await eventually(async () => (await found()).length === 1);
    gate.open();
    await eventually(async () => (await found()).length === 0);
  });

  it('is that many tasks die', async () => {
    const { jobs, get } = await startDashboard({
      providers: allJobs,
      dashboard: { troubles: { deadPerHour: 2 } },
    });
    await jobs.enqueue(LoseLetter);
    await jobs.enqueue(LoseLetter);
    await eventually(async () => (await troubles(get)).some(({ code }) => code === 'dying'));
    expect((await troubles(get))[0]).toMatchObject({
      level: 'error',
      message: "2 tasks of queue 'mail' died within the last hour.",
    });
  });
});

describe('Also wrong', () => {
  it.each(Object.keys(places))('is a slot that nobody fires, on %s', async (place) => {
    const { jobs, get, catalog } = await startDashboard({
      providers: [...allJobs, Mute],
      jobs: { runner: { queues: ['slow'], schedules: false }, ...(await places[place]!()) },
      dashboard: { troubles: { oldestWaiting: 0 }, authorize: () => ['view'] },
    });
    const found = async () => ((await get('overview')).body as Overview).troubles;
    await jobs.enqueue(Mute, undefined, { every: '1s' });
    await jobs.enqueue(Dig, undefined, { every: '1s' });
    await jobs.enqueue(LoseLetter, undefined, { every: '1s' });
    await jobs.enqueue(KeepSecret, undefined, {
      every: '1s',
      queue: 'later',
      from: new Date(Date.now() + 3_600_000),
    });
    await catalog.pauseSchedule((await catalog.schedules({ job: 'LoseLetter' })).schedules[0]!);
    await eventually(async () => (await found()).length === 2);
    expect(await found()).toMatchObject([
      {
        code: 'slots-overdue',
        level: 'error',
        queue: 'mute',
        message: expect.stringMatching(
          /^A slot of Mute in queue 'mute' has been due for .+, and no live process runs that queue\.$/,
        ),
        advice: expect.stringContaining('start one'),
      },
      {
        code: 'slots-overdue',
        level: 'error',
        queue: 'slow',
        message: expect.stringMatching(
          /^A slot of Dig in queue 'slow' has been due for .+, and no process fires it\.$/,
        ),
        advice: expect.stringContaining('`runner.schedules`'),
      },
    ]);
    await catalog.pause('mute', { for: '1h' });
    await catalog.pause('slow');
    await eventually(async () => (await found()).length === 1);
    expect(await found()).toMatchObject([{ code: 'slots-overdue', level: 'warning', queue: 'slow' }]);
  });

  it('is a store that takes long to answer', async () => {
    const backend = memoryBackend();
    const { glance } = backend.catalog;
    backend.catalog.glance = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return glance.apply(backend.catalog, args);
    };
    const { get } = await startDashboard({ providers: allJobs, jobs: { backend, runner: false } });
    expect(((await get('overview')).body as Overview).troubles).toMatchObject([
      { code: 'backend-degraded', level: 'error', message: expect.stringMatching(/took \d+ ms to answer/) },
    ]);
  });
});

describe('A store that is down', () => {
  it('is told with a reason, by every route and by the stream, until it is back', async () => {
    const server = await ownRedis();
    const backend = redisBackend({ url: server.url, options: { connectTimeout: 500 } } as never);
    const { get, post, url, lines } = await startDashboard({
      providers: allJobs,
      jobs: { runner: false, backend, enqueueTimeout: '500ms' },
    });
    const stream = await listen(url);
    expect((await get('overview')).status).toBe(200);
    await server.kill('SIGKILL');
    // It may have been looked at just before.
    await eventually(async () => (await get('overview')).status === 503);

    for (const path of ['tasks', 'overview', 'task?id=a', 'failures', 'jobs', 'schedules', 'schedule?id=a']) {
      const { status, error } = await get(path);
      expect([path, status, error.code]).toEqual([path, 503, 'STORE_UNAVAILABLE']);
      expect(error.message).toMatch(/^the store of the jobs gives no answer: .+/);
    }
    const enqueued = await post('jobs/enqueue', { job: 'Dig' });
    expect([enqueued.status, enqueued.error.code]).toEqual([503, 'STORE_UNAVAILABLE']);
    expect((await get('session')).status).toBe(200);
    await eventually(() => stream.events.some(({ type }) => type === 'trouble'));
    expect(stream.events.filter(({ type }) => type === 'trouble')).toHaveLength(1);

    // However many ask, whoever reads the log is told once.
    expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(1);

    await server.restart({});
    await eventually(async () => (await get('overview')).status === 200);
    await eventually(() => stream.events.at(-1)!.type === 'changed');
    stream.stop();
  });
});
