import { describe, expect, it } from '@jest/globals';
import { Cron, Job, type JobsOptions, type Task } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { newSchema, postgresUrl } from './fixtures/postgres-stage.js';
import { newPrefix } from './fixtures/redis-jobs.js';

const stores: Record<string, () => Promise<JobsOptions>> = {
  redis: async () => ({ backend: process.env.TEST_REDIS_URL!, prefix: newPrefix() }),
  postgres: async () => ({ backend: postgresUrl, prefix: await newSchema() }),
};

const secret = '4111-1111-1111';
const params = { order: 'order-7', card: secret };

@Job({ name: 'Charge', redact: ['card'], keep: '1h' })
class Charge {
  run({ card }: typeof params, task: Task): unknown {
    task.progress(10, `charging ${card}`);
    return { charged: card };
  }
}

@Cron('0 0 1 1 *', { name: 'Yearly', redact: ['card'], with: params })
class Yearly {
  run(_: typeof params): void {}
}

@Job({ name: 'Plain', keep: '1h' })
class Plain {
  run(_: { card: string }): void {}
}

describe.each(Object.keys(stores))('a process that does not know a job, on %s,', (name) => {
  async function startTwo() {
    const place = await stores[name]!();
    const app = await startApp({
      providers: [Charge, Yearly, Plain],
      options: { ...place, log: false },
      realTime: true,
    });
    const looking = await startApp({ options: { ...place, runner: false, log: false }, realTime: true });
    return { jobs: app.jobs, catalog: looking.catalog };
  }

  it('shows nothing of what it redacts: not of its tasks, results, notes, schedules, nor by a search', async () => {
    const { jobs, catalog } = await startTwo();
    const ran = await jobs.enqueue(Charge, params);
    await jobs.bulk((bulk) => bulk.enqueue(Charge, params, { id: 'later', in: '1h', timeout: '1m' }));
    await jobs.enqueue(Charge, params, { id: 'hourly', every: '1h', from: new Date('2040-01-01') });
    await eventually(async () => (await catalog.task(ran))?.state === 'succeeded');
    await eventually(async () => (await catalog.schedule('Yearly')) !== undefined);
    await catalog.runSchedule('hourly');
    await eventually(async () => (await catalog.count({ state: 'succeeded' })).count === 2);
    const { tasks } = await catalog.tasks();
    const { schedules } = await catalog.schedules();
    expect(tasks).toHaveLength(3);
    expect(schedules.map(({ id }) => id).toSorted()).toEqual(['Yearly', 'hourly']);
    for (const info of [...tasks, ...schedules])
      expect(info.params).toEqual({ order: 'order-7', card: '[redacted]' });
    expect((await catalog.task(ran))!.result).toEqual({ charged: '[redacted]' });
    expect(JSON.stringify([tasks, schedules, await catalog.schedule('Yearly')])).not.toContain(secret);
    expect((await catalog.tasks({ text: secret })).tasks).toEqual([]);
    expect((await catalog.schedules({ text: secret })).schedules).toEqual([]);
    expect((await catalog.count({ text: 'order-7' })).count).toBe(3);
    expect(await jobs.result(ran)).toEqual({ charged: secret });
  });

  it('shows what a job that redacts nothing has, which stores nothing for that', async () => {
    const { jobs, catalog } = await startTwo();
    const { id } = await jobs.enqueue(Plain, { card: secret }, { in: '1h' });
    expect(await catalog.task(id)).toMatchObject({ params: { card: secret }, extra: {} });
  });
});
