import { describe, expect, it } from '@jest/globals';
import { metrics } from '@opentelemetry/api';
import { Job, type Backend } from 'nestjs-jobs';
import { TaskEvents } from '../../lib/job/task-events.js';
import { settled, startApp } from '../support/app.js';
import { useTelemetry } from '../support/telemetry.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const telemetry = useTelemetry();

@Job({ queue: 'mail', retries: [1_000] })
class Send {
  run(how: string): void {
    if (how === 'fail') throw new TypeError('no');
  }
}

const ofSend = {
  'messaging.system': 'nestjs_jobs',
  'messaging.operation.name': 'process',
  'messaging.operation.type': 'process',
  'messaging.destination.name': 'mail',
  'nestjs_jobs.job': 'Send',
};

/** Counts the looks at the queues. */
function counted(looks: string[][]) {
  return (store: Backend): Backend => {
    const catalog = Object.create(store.catalog) as Backend['catalog'];
    catalog.glance = (queues) => {
      looks.push([...queues]);
      return store.catalog.glance(queues);
    };
    return { ...store, catalog };
  };
}

describe('Metrics by OpenTelemetry', () => {
  it('are durations, waits and counts of what tasks ended in', async () => {
    const { jobs, advance } = await startApp({ providers: [Send] });
    await jobs.enqueue(Send, 'ok', { in: '2s' });
    await jobs.enqueue(Send, 'fail');
    await advance(3_000);
    const duration = await telemetry.collect('messaging.process.duration');
    expect(duration.unit).toBe('s');
    const counts = duration.points.map(({ attributes, value }) => [
      attributes,
      (value as { count: number }).count,
    ]);
    expect(counts).toEqual(
      expect.arrayContaining([
        [ofSend, 1],
        [{ ...ofSend, 'error.type': 'TypeError' }, 2],
      ]),
    );
    const wait = await telemetry.collect('nestjs_jobs.task.wait');
    expect([wait.unit, wait.points[0]!.value]).toMatchObject(['s', { count: 3, sum: 0 }]);
    const outcomes = await telemetry.collect('nestjs_jobs.task.outcomes');
    const byOutcome = outcomes.points.map(({ attributes, value }) => [
      attributes['nestjs_jobs.outcome'],
      value,
    ]);
    expect(Object.fromEntries(byOutcome)).toEqual({ succeeded: 1, failed: 2, dead: 1 });
    const sent = await telemetry.collect('messaging.client.sent.messages');
    expect(sent.points).toMatchObject([{ value: 2, attributes: { 'messaging.operation.name': 'enqueue' } }]);
  });

  it('tell how many tasks run, and that none does any more', async () => {
    const mayEnd = gate();
    @Job()
    class Slow {
      run(): Promise<void> {
        return mayEnd.opened;
      }
    }
    const { jobs, advance } = await startApp({ providers: [Slow] });
    for (let n = 0; n < 3; n++) await jobs.enqueue(Slow);
    await advance(0);
    const running = async () => (await telemetry.collect('nestjs_jobs.task.running')).points;
    expect(await running()).toMatchObject([{ value: 3, attributes: { 'nestjs_jobs.job': 'Slow' } }]);
    mayEnd.open();
    await advance(0);
    expect(await running()).toMatchObject([{ value: 0 }]);
  });

  it('tell the depth and the oldest age of queues, looked up when they are collected, and not too often', async () => {
    const looks: string[][] = [];
    const { jobs, clock, advance } = await start({
      providers: [Send],
      options: { runner: false },
      before: counted(looks),
    });
    await jobs.enqueue(Send, 'ok');
    await jobs.enqueue(Send, 'ok', { in: '1h' });
    await jobs.enqueue(Send, 'ok', { queue: 'unknown' });
    await advance(90_000);
    expect(looks).toEqual([]);
    const depth = await telemetry.collect('nestjs_jobs.queue.tasks');
    const states = (queue: string) =>
      Object.fromEntries(
        depth.points
          .filter(({ attributes }) => attributes['messaging.destination.name'] === queue)
          .map(({ attributes, value }) => [attributes['nestjs_jobs.state'], value]),
      );
    expect(states('mail')).toMatchObject({ waiting: 1, scheduled: 1, pending: 0, dead: 0, parked: 0 });
    expect(states('unknown')).toMatchObject({ waiting: 1, scheduled: 0 });
    const oldest = await telemetry.collect('nestjs_jobs.queue.oldest_waiting');
    expect([oldest.unit, oldest.points.map(({ value }) => value)]).toEqual(['s', [90, 90]]);
    expect(looks).toEqual([['mail', 'unknown']]);
    expect(clock.elapsed()).toBeGreaterThan(0);
    await advance(5_000);
    await telemetry.collect('nestjs_jobs.queue.depth');
    expect(looks).toHaveLength(2);
  });

  it('leave out the queues where the store does not answer, and go on', async () => {
    const { jobs, advance } = await start({
      providers: [Send],
      before: (store) => {
        const catalog = Object.create(store.catalog) as Backend['catalog'];
        catalog.glance = () => Promise.reject(new Error('away'));
        return { ...store, catalog };
      },
    });
    await jobs.enqueue(Send, 'ok');
    await advance(0);
    expect((await telemetry.collect('nestjs_jobs.queue.depth')).points).toEqual([]);
    expect((await telemetry.collect('nestjs_jobs.task.outcomes')).points).toHaveLength(1);
  });

  it('are not taken where no provider is registered, nor after the application has closed', async () => {
    metrics.disable();
    const silent = await startApp({ providers: [Send] });
    expect(silent.app.get(TaskEvents, { strict: false }).isHeard).toBe(false);
    await silent.app.close();
    const { MeterProvider } = await import('@opentelemetry/sdk-metrics');
    metrics.setGlobalMeterProvider(new MeterProvider());
    const { app } = await startApp({ providers: [Send] });
    const events = app.get(TaskEvents, { strict: false });
    expect(events.isHeard).toBe(true);
    await app.close();
    await settled();
    expect(events.isHeard).toBe(false);
  });

  it('count endlessly many queues as one', async () => {
    const { jobs } = await startApp({ providers: [Send], options: { runner: { queues: ['mail'] } } });
    await jobs.bulk((bulk) => {
      for (let n = 0; n < 1_000; n++) bulk.enqueue(Send, 'ok', { queue: `tenant-${n}` });
    });
    const { points } = await telemetry.collect('messaging.client.sent.messages');
    const byQueue = points.map(({ attributes, value }) => [attributes['messaging.destination.name'], value]);
    expect(byQueue).toHaveLength(201);
    expect(byQueue).toContainEqual(['other', 800]);
    expect((await telemetry.collect('nestjs_jobs.queue.oldest_waiting')).points).toHaveLength(200);
  });
});
