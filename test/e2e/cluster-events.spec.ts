import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { InvalidOptionError, Job, JobEvents, OnTask, type JobEvent, type JobsOptions } from 'nestjs-jobs';
import { TaskEvents } from '../../lib/job/task-events.js';
import { startApp } from '../support/app.js';
import { SharedWire } from './fixtures/shared-wire.js';
import { start, type Started } from './fixtures/start.js';

@Job({ retries: 0, queue: 'work' })
class Work {
  run(how: string): string {
    if (how.startsWith('fail')) throw new Error(how);
    return how;
  }
}

const cluster: JobsOptions = { events: { scope: 'cluster' } };

/** A process that runs tasks, and one that only looks on, on one store and one wire. */
async function two({ wire = new SharedWire(), providers = [] as never[] } = {}) {
  const worker = await start({ options: cluster, providers: [Work], before: wire.before });
  const watcher = await start({
    options: { ...cluster, runner: { queues: ['other'] } },
    providers,
    before: wire.before,
    beside: worker,
  });
  // What each wants comes to the other.
  await worker.advance(200);
  return { wire, worker, watcher, here: worker.app.get(TaskEvents, { strict: false }) };
}

function collect({ app }: Started): JobEvent[] {
  const heard: JobEvent[] = [];
  app.get(JobEvents).all.subscribe((event) => heard.push(event));
  return heard;
}

const said = ({ lines }: Started, text: string) => lines.filter(({ message }) => message.includes(text));

describe("with events: { scope: 'cluster' }", () => {
  it('a process hears what happens in another, and in which', async () => {
    const { worker, watcher } = await two();
    const heard = collect(watcher);
    await worker.advance(200);
    const { id } = await worker.jobs.enqueue(Work, 'ok', { keep: '1h' });
    await worker.advance(200);
    const { origin } = worker.app.get(JobEvents);
    expect(origin).not.toBe(watcher.app.get(JobEvents).origin);
    expect(heard).toEqual([
      { type: 'enqueued', queue: 'work', id, job: 'Work', isReplaced: false, dueInMs: 0, origin },
      { type: 'started', queue: 'work', id, job: 'Work', attempt: 1, waitMs: 0, origin },
      {
        type: 'succeeded',
        queue: 'work',
        id,
        job: 'Work',
        attempt: 1,
        waitMs: 0,
        runMs: 0,
        result: '"ok"',
        origin,
      },
    ]);
  });

  it('each listener is told once, also of what happens in its own process, and of that at once', async () => {
    const { worker, watcher } = await two();
    const here = collect(worker);
    const there = collect(watcher);
    await worker.advance(200);
    await worker.jobs.enqueue(Work, 'ok', { in: '1h' });
    expect(here.map(({ type }) => type)).toEqual(['enqueued']);
    expect(there).toEqual([]);
    await worker.advance(200);
    expect([here, there].map((heard) => heard.map(({ type }) => type))).toEqual([['enqueued'], ['enqueued']]);
  });

  it('an @OnTask method hears of other processes, too, by name of a job that it need not provide', async () => {
    const heard: string[] = [];
    @Injectable()
    class Ear {
      @OnTask('dead', { job: 'Work' })
      hear({ id }: JobEvent): void {
        heard.push(id);
      }
    }
    const { worker } = await two({ providers: [Ear] as never[] });
    const { id } = await worker.jobs.enqueue(Work, 'fail');
    await worker.advance(200);
    expect(heard).toEqual([id]);
  });

  it('only what some process listens to is told', async () => {
    const { wire, worker, watcher, here } = await two();
    expect(here.isHeard).toBe(false);
    const subscription = watcher.app.get(JobEvents).stream('dead').subscribe();
    await worker.advance(200);
    const before = wire.sent.length;
    await worker.jobs.enqueue(Work, 'ok');
    await worker.jobs.enqueue(Work, 'fail');
    await worker.advance(200);
    const events = wire.sent
      .slice(before)
      .filter((text) => text.startsWith('{'))
      .flatMap((text) => (JSON.parse(text) as { events?: JobEvent[] }).events ?? []);
    expect(events.map(({ type }) => type)).toEqual(['dead']);
    subscription.unsubscribe();
    await worker.advance(200);
    expect(here.isHeard).toBe(false);
  });

  it('a process that comes later is told what others listen to', async () => {
    const wire = new SharedWire();
    const watcher = await start({ options: { ...cluster, runner: false }, before: wire.before });
    const heard = collect(watcher);
    await watcher.advance(60_000);
    const worker = await start({ options: cluster, providers: [Work], before: wire.before, beside: watcher });
    await watcher.advance(200);
    await worker.jobs.enqueue(Work, 'ok');
    await watcher.advance(200);
    expect(heard.map(({ type }) => type)).toEqual(['enqueued', 'started', 'succeeded']);
  });

  it('one that has died is not told for long, and one that lives is told on', async () => {
    const { wire, worker, watcher, here } = await two();
    const heard = collect(watcher);
    await worker.advance(200);
    wire.send(JSON.stringify({ from: 'dead:1:x', wants: ['dead'] }));
    await worker.advance(10 * 60_000);
    expect(here.isHeard).toBe(true);
    await worker.jobs.enqueue(Work, 'ok', { in: '1d' });
    await worker.advance(200);
    expect(heard).toHaveLength(1);
    await watcher.app.close();
    expect(here.isHeard).toBe(false);
    wire.send(JSON.stringify({ from: 'dead:1:x', wants: ['dead'] }));
    expect(here.isHeard).toBe(true);
    await worker.advance(70_000);
    expect(here.isHeard).toBe(false);
  });

  it('a flood is cut off and counted, and no text is longer than the wire carries', async () => {
    const { wire, worker, watcher } = await two();
    const heard = collect(watcher);
    await worker.advance(200);
    await worker.jobs.bulk((bulk) => {
      for (let n = 0; n < 2_000; n++) bulk.enqueue(Work, 'ü'.repeat(100), { in: '1d', id: `task-${n}` });
    });
    await worker.advance(200);
    expect(heard).toHaveLength(500);
    expect(watcher.app.get(JobEvents).missed).toBe(1_500);
    expect(said(watcher, '1500 events were not told to other processes')).toMatchObject([{ level: 'warn' }]);
    expect(Math.max(...wire.sent.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(4_000);
    // Many fit into one text.
    expect(wire.sent.filter((text) => text.includes('task-')).length).toBeLessThan(60);
    await worker.jobs.enqueue(Work, 'ok', { in: '1d' });
    await worker.advance(200);
    expect(heard).toHaveLength(501);
  });

  it('a flood of what happens all the time keeps back nothing that somebody may have to act on', async () => {
    const { worker, watcher, here } = await two();
    const heard = collect(watcher);
    await worker.advance(200);
    const of = (type: string, id: string) => ({ type, id, queue: 'default', job: 'Work', attempt: 1 });
    const error = { name: 'Error', message: 'no' };
    for (let n = 0; n < 1_000; n++) here.emit(of('succeeded', `done-${n}`) as never);
    for (let n = 0; n < 600; n++) here.emit({ ...of('failed', `failed-${n}`), error } as never);
    for (const type of ['dead', 'lost', 'parked', 'cancelled'])
      here.emit({ ...of(type, type), error } as never);
    await worker.advance(200);
    const count = (type: string) => heard.filter((event) => event.type === type).length;
    expect(['succeeded', 'failed'].map(count)).toEqual([500, 500]);
    expect(['dead', 'lost', 'parked', 'cancelled'].map(count)).toEqual([1, 1, 1, 1]);
    expect(watcher.app.get(JobEvents).missed).toBe(600);
  });

  it('errors travel without their stack, and long texts are left out', async () => {
    const { worker, watcher } = await two();
    const heard = collect(watcher);
    await worker.advance(200);
    await worker.jobs.enqueue(Work, `fail ${'é'.repeat(3_000)}`);
    await worker.jobs.enqueue(Work, 'r'.repeat(3_000), { keep: '1h' });
    await worker.advance(200);
    const dead = heard.find(({ type }) => type === 'dead') as JobEvent & { type: 'dead' };
    expect(dead.error).toEqual({ name: 'Error', message: `fail ${'é'.repeat(495)}` });
    const succeeded = heard.find(({ type }) => type === 'succeeded');
    expect(succeeded).toMatchObject({ job: 'Work', runMs: 0 });
    expect(succeeded).not.toHaveProperty('result');
  });

  it('what others say on the same wire, or in another version, is passed over', async () => {
    const { wire, worker, watcher } = await two();
    const heard = collect(watcher);
    for (const text of [
      'finished {"work":["1"]}',
      '{"from":',
      '{"from":7,"events":[]}',
      '{"from":"x","events":{"type":"dead"}}',
      '{"from":"x","events":[null,{"type":"dead"},{"type":"gone","queue":"q","id":"1","job":"J"}]}',
      '{"from":"x","wants":"all","dropped":"many"}',
    ])
      wire.send(text);
    await worker.advance(200);
    expect(heard).toEqual([]);
    expect([...worker.lines, ...watcher.lines].filter(({ level }) => level !== 'log')).toEqual([]);
  });

  it('a wire that cannot be heard at first is tried again', async () => {
    const wire = new SharedWire();
    wire.refusals.push(new Error('not yet'));
    const { worker, watcher } = await two({ wire });
    expect(said(worker, 'events of other processes cannot be heard yet')).toHaveLength(1);
    const heard = collect(watcher);
    await worker.advance(6_000);
    await worker.jobs.enqueue(Work, 'ok');
    await worker.advance(200);
    expect(heard.map(({ type }) => type)).toEqual(['enqueued', 'started', 'succeeded']);
  });

  it('the end of an application tells what is still to be told, and leaves the wire', async () => {
    const { wire, worker, watcher } = await two();
    const heard = collect(watcher);
    await worker.advance(200);
    await worker.jobs.enqueue(Work, 'ok', { in: '1d' });
    await worker.app.close();
    expect(heard).toHaveLength(1);
    await watcher.app.close();
    expect(wire.listening).toBe(0);
  });
});

describe('with the scope that is the default', () => {
  it('nothing comes from, or to, other processes', async () => {
    const wire = new SharedWire();
    const worker = await start({ providers: [Work], before: wire.before });
    const heard = collect(worker);
    wire.send('{"from":"x","events":[{"type":"dead","queue":"q","id":"1","job":"J"}]}');
    await worker.jobs.enqueue(Work, 'ok');
    await worker.advance(60_000);
    expect([wire.sent.length, wire.listening, heard.length]).toEqual([1, 0, 3]);
  });

  it('another one than there is stops the start', async () => {
    const starting = startApp({ options: { events: { scope: 'world' as never } } });
    await expect(starting).rejects.toThrow(InvalidOptionError);
    await expect(starting).rejects.toThrow("events.scope is \"world\", but must be 'local' or 'cluster'");
  });
});
