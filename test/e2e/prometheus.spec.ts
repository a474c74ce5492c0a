import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Injectable,
  Module,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  InvalidOptionError,
  Job,
  JobQueue,
  JobsMetrics,
  JobsMetricsModule,
  JobsModule,
  type Backend,
} from 'nestjs-jobs';
import { Registry, Counter } from 'prom-client';
import { map } from 'rxjs';
import { TaskEvents } from '../../lib/job/task-events.js';
import { startApp } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

@Job({ queue: 'mail', retries: [1_000] })
class Send {
  run(how: string): void {
    if (how === 'fail') throw new Error('no');
  }
}

const unserved = JobsMetricsModule.forRoot({ path: false });
/** The lines of series, by name and labels. */
const seriesOf = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => [
        line.slice(0, line.lastIndexOf(' ')),
        Number(line.slice(line.lastIndexOf(' '))),
      ]),
  );

async function measured(before: (store: Backend) => Backend = (store) => store) {
  const app = await start({ imports: [unserved], providers: [Send], before });
  const metrics = app.app.get(JobsMetrics);
  return { ...app, metrics, series: async () => seriesOf(await metrics.text()) };
}

describe('JobsMetrics', () => {
  it('counts what tasks end in, how long they take and wait', async () => {
    const { jobs, advance, series } = await measured();
    await jobs.enqueue(Send, 'ok');
    await jobs.enqueue(Send, 'fail');
    await advance(1_000);
    const found = await series();
    const of = 'job="Send",queue="mail"';
    expect(found.get(`nestjs_jobs_tasks_enqueued_total{${of}}`)).toBe(2);
    expect(found.get(`nestjs_jobs_task_outcomes_total{${of},outcome="succeeded"}`)).toBe(1);
    expect(found.get(`nestjs_jobs_task_outcomes_total{${of},outcome="failed"}`)).toBe(2);
    expect(found.get(`nestjs_jobs_task_outcomes_total{${of},outcome="dead"}`)).toBe(1);
    expect(found.get(`nestjs_jobs_task_duration_seconds_count{${of},outcome="failed"}`)).toBe(2);
    expect(found.get(`nestjs_jobs_task_duration_seconds_bucket{${of},outcome="succeeded",le="0.005"}`)).toBe(
      1,
    );
    expect(found.get(`nestjs_jobs_task_wait_seconds_count{${of}}`)).toBe(3);
    expect(found.get(`nestjs_jobs_tasks_running{${of}}`)).toBe(0);
  });

  it('tells seconds, not milliseconds, and what runs now', async () => {
    const mayEnd = gate();
    @Job({ name: 'Slow', queue: 'slow' })
    class Slow {
      run(): Promise<void> {
        return mayEnd.opened;
      }
    }
    const { app, jobs, advance } = await startApp({
      imports: [unserved],
      providers: [Slow],
      options: { runner: { concurrency: 1 } },
    });
    await jobs.enqueue(Slow);
    await jobs.enqueue(Slow);
    await advance(2_000);
    const text = () => app.get(JobsMetrics).text();
    const now = seriesOf(await text());
    expect(now.get('nestjs_jobs_tasks_running{job="Slow",queue="slow"}')).toBe(1);
    expect(now.get('nestjs_jobs_queue_tasks{queue="slow",state="waiting"}')).toBe(1);
    expect(now.get('nestjs_jobs_queue_tasks{queue="slow",state="pending"}')).toBe(1);
    expect(now.get('nestjs_jobs_queue_depth{queue="slow"}')).toBe(1);
    expect(now.get('nestjs_jobs_queue_oldest_waiting_seconds{queue="slow"}')).toBe(2);
    mayEnd.open();
    await advance(5_000);
    const later = seriesOf(await text());
    expect(
      later.get('nestjs_jobs_task_duration_seconds_sum{job="Slow",queue="slow",outcome="succeeded"}'),
    ).toBe(2);
    expect(later.get('nestjs_jobs_task_wait_seconds_sum{job="Slow",queue="slow"}')).toBe(2);
    expect(later.get('nestjs_jobs_queue_tasks{queue="slow",state="waiting"}')).toBe(0);
    expect(later.get('nestjs_jobs_queue_oldest_waiting_seconds{queue="slow"}')).toBe(0);
  });

  it('tells which queues are paused', async () => {
    const { catalog, series } = await measured();
    await catalog.pause('mail');
    expect((await series()).get('nestjs_jobs_queue_paused{queue="mail"}')).toBe(1);
  });

  it('says that the store is away instead of failing, also where it does not answer at all', async () => {
    let answer = (): Promise<never> => Promise.reject(new Error('away'));
    const { jobs, advance, metrics, series } = await measured((store) => {
      const catalog = Object.create(store.catalog) as Backend['catalog'];
      catalog.glance = () => answer();
      return { ...store, catalog };
    });
    await jobs.enqueue(Send, 'ok');
    await advance(0);
    const found = await series();
    expect(found.get('nestjs_jobs_store_up')).toBe(0);
    expect([...found.keys()].filter((name) => name.includes('_queue_'))).toEqual([]);
    expect(found.get('nestjs_jobs_tasks_enqueued_total{job="Send",queue="mail"}')).toBe(1);
    answer = () => new Promise(() => undefined);
    await advance(5_000);
    let text = '';
    void metrics.text().then((answered) => (text = answered));
    await advance(4_999);
    expect(text).toBe('');
    await advance(1);
    expect(seriesOf(text).get('nestjs_jobs_store_up')).toBe(0);
  });

  it('has a bounded number of series', async () => {
    const { jobs, series } = await measured();
    await jobs.bulk((bulk) => {
      for (let n = 0; n < 500; n++) bulk.enqueue(Send, 'ok', { queue: `tenant-${n}` });
    });
    const found = [...(await series()).entries()];
    const enqueued = found.filter(([name]) => name.startsWith('nestjs_jobs_tasks_enqueued_total'));
    expect(enqueued).toHaveLength(201);
    expect(enqueued.at(-1)).toEqual(['nestjs_jobs_tasks_enqueued_total{job="Send",queue="other"}', 300]);
    expect(found.filter(([name]) => name.startsWith('nestjs_jobs_queue_paused'))).toHaveLength(200);
  });

  it('costs nothing where its module is not imported, and stops with the application', async () => {
    const without = await startApp({ providers: [Send] });
    expect(without.app.get(TaskEvents, { strict: false }).isHeard).toBe(false);
    const { app } = await measured();
    const events = app.get(TaskEvents, { strict: false });
    expect(events.isHeard).toBe(true);
    await app.close();
    expect(events.isHeard).toBe(false);
  });
});

describe('A registry of prom-client', () => {
  it.each([Registry.PROMETHEUS_CONTENT_TYPE, Registry.OPENMETRICS_CONTENT_TYPE] as const)(
    'shows the same series beside its own, as %s',
    async (type) => {
      const { jobs, advance, metrics } = await measured();
      const registry = new Registry();
      registry.setContentType(type as never);
      // One in the other format takes its metrics' names apart.
      const other = new Registry();
      other.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
      metrics.register(other);
      await other.metrics();
      metrics.register(registry);
      metrics.register(registry);
      new Counter({ name: 'mine_total', help: 'x', registers: [registry] }).inc();
      await jobs.enqueue(Send, 'ok');
      await jobs.enqueue(Send, 'fail');
      await advance(1_000);
      const theirs = seriesOf(await registry.metrics());
      const ours = seriesOf(await metrics.text());
      expect(theirs.get('mine_total')).toBe(1);
      theirs.delete('mine_total');
      const sorted = (series: Map<string, number>) =>
        [...series].map(([name, value]) => [labelsSorted(name), value]).toSorted();
      expect(ours.size).toBeGreaterThan(40);
      expect(sorted(theirs)).toEqual(sorted(ours));
    },
  );

  it('adds its default labels, gives JSON, and can be reset without harm', async () => {
    const { jobs, metrics } = await measured();
    const registry = new Registry();
    registry.setDefaultLabels({ app: 'shop' });
    metrics.register(registry);
    await jobs.enqueue(Send, 'ok');
    registry.resetMetrics();
    expect(await registry.metrics()).toContain(
      'nestjs_jobs_tasks_enqueued_total{job="Send",queue="mail",app="shop"} 1',
    );
    const json = await registry.getMetricsAsJSON();
    expect(json.find(({ name }) => name === 'nestjs_jobs_store_up')).toMatchObject({
      type: 'gauge',
      aggregator: 'max',
      values: [{ value: 1, labels: { app: 'shop' } }],
    });
  });
});

/** prom-client puts `le` first. */
function labelsSorted(name: string): string {
  const [, metric, labels] = /^([^{]*)(?:\{(.*)\})?$/.exec(name)!;
  return `${metric}{${(labels ?? '').split(',').toSorted().join(',')}}`;
}

describe('JobsMetricsModule', () => {
  let app: INestApplication | undefined;
  afterEach(() => app?.close());

  @Injectable()
  class Keys {
    readonly key = 'secret';
  }
  @Module({ providers: [Keys], exports: [Keys] })
  class KeysModule {}
  @Injectable()
  class KeyGuard implements CanActivate {
    constructor(private readonly keys: Keys) {}
    canActivate(context: ExecutionContext): boolean {
      const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      return headers['x-key'] === this.keys.key;
    }
  }

  async function serve(
    options: Parameters<typeof JobsMetricsModule.forRoot>[0],
    isFastify: boolean,
  ): Promise<string> {
    const module = await Test.createTestingModule({
      imports: [JobsModule.forRoot({ log: false }), JobsMetricsModule.forRoot(options)],
      providers: [Send],
    }).compile();
    const served = isFastify
      ? module.createNestApplication(new FastifyAdapter(), { logger: false })
      : module.createNestApplication({ logger: false });
    app = served;
    // As an application does that wraps all of its answers.
    served.useGlobalInterceptors({
      intercept: (_: ExecutionContext, next: CallHandler) =>
        next.handle().pipe(map((data: unknown) => ({ data }))),
    });
    served.enableVersioning();
    await served.listen(0, '127.0.0.1');
    return served.getUrl();
  }

  it.each([
    ['Express', false],
    ['Fastify', true],
  ])(
    'serves the text on %s, whatever interceptors and versions the application has',
    async (_name, isFastify) => {
      const url = await serve({}, isFastify);
      await app!.get(JobQueue).enqueue(Send, 'ok');
      const response = await fetch(`${url}/metrics`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      const text = await response.text();
      expect(text).toMatch(/^# HELP nestjs_jobs_tasks_enqueued_total /);
      expect(text).toContain('nestjs_jobs_tasks_enqueued_total{job="Send",queue="mail"} 1\n');
    },
  );

  it.each([
    ['Express', false],
    ['Fastify', true],
  ])('serves it on %s to those that its guards let pass, at its own path', async (_name, isFastify) => {
    const options = { path: 'internal/jobs', guards: [KeyGuard], imports: [KeysModule] };
    const url = await serve(options, isFastify);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(`${url}/internal/jobs`)).status).toBe(403);
    expect((await fetch(`${url}/internal/jobs`, { headers: { 'x-key': 'secret' } })).status).toBe(200);
  });

  it('counts by the buckets that it is given', async () => {
    const { app, jobs, advance } = await startApp({
      imports: [JobsMetricsModule.forRoot({ path: false, buckets: [1, 60] })],
      providers: [Send],
    });
    await jobs.enqueue(Send, 'ok');
    await advance(0);
    const names = [...seriesOf(await app.get(JobsMetrics).text()).keys()];
    const bounds = names.flatMap((name) => /wait_seconds_bucket.*le="(.*)"/.exec(name)?.[1] ?? []);
    expect(bounds).toEqual(['1', '60', '+Inf']);
  });

  it('refuses what it cannot mean', () => {
    const refused = (options: unknown) => () => JobsMetricsModule.forRoot(options as never);
    expect(refused({ url: '/x' })).toThrow(InvalidOptionError);
    expect(refused({ path: 7 })).toThrow('path is 7, but must be text');
    for (const buckets of [[], [2, 1], [1, 1], ['1'], [Infinity], 1])
      expect(refused({ buckets })).toThrow('buckets is');
  });
});
