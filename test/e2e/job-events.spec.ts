import { describe, expect, it } from '@jest/globals';
import { InvalidOptionError, Job, JobEvents, type JobEvent } from 'nestjs-jobs';
import { TaskEvents } from '../../lib/job/task-events.js';
import { startApp } from '../support/app.js';

@Job({ retries: 0 })
class Work {
  run(fails: boolean): void {
    if (fails) throw new Error('no');
  }
}

async function watched() {
  const app = await startApp({ providers: [Work] });
  return { ...app, events: app.app.get(JobEvents), here: app.app.get(TaskEvents, { strict: false }) };
}

describe('JobEvents', () => {
  it('streams events of the types asked for, and of all', async () => {
    const { jobs, advance, events } = await watched();
    const dead: string[] = [];
    const ends: string[] = [];
    const all: JobEvent[] = [];
    events.stream('dead').subscribe(({ error }) => dead.push(error.message));
    events.stream('succeeded', 'failed').subscribe(({ type }) => ends.push(type));
    events.all.subscribe((event) => all.push(event));
    await jobs.enqueue(Work, true);
    await jobs.enqueue(Work, false);
    await advance(0);
    expect(dead).toEqual(['no']);
    expect(ends.toSorted()).toEqual(['failed', 'succeeded']);
    expect(all.map(({ type }) => type).toSorted()).toEqual(
      ['dead', 'enqueued', 'enqueued', 'failed', 'started', 'started', 'succeeded'].toSorted(),
    );
    expect(new Set(all.map(({ origin }) => origin))).toEqual(new Set([events.origin]));
  });

  it('gives a subscriber what happens from then on, until it unsubscribes', async () => {
    const { jobs, advance, events } = await watched();
    await jobs.enqueue(Work, false);
    const heard: string[] = [];
    const subscription = events.stream('enqueued').subscribe(({ id }) => heard.push(id));
    const { id } = await jobs.enqueue(Work, false);
    subscription.unsubscribe();
    await jobs.enqueue(Work, false);
    await advance(0);
    expect(heard).toEqual([id]);
  });

  it('listens only while somebody does: without subscribers and listeners no event is made', async () => {
    const { events, here } = await watched();
    expect(here.isHeard).toBe(false);
    const streams = [events.all.subscribe(), events.stream('dead').subscribe()];
    expect(here.isHeard).toBe(true);
    streams[0]!.unsubscribe();
    expect(here.isHeard).toBe(true);
    streams[1]!.unsubscribe();
    expect(here.isHeard).toBe(false);
  });

  it('ends its streams when the application has closed, and at once those that come later', async () => {
    const { app, events } = await watched();
    const over: string[] = [];
    events.all.subscribe({ complete: () => over.push('all') });
    events.stream('dead').subscribe({ complete: () => over.push('dead') });
    expect(over).toEqual([]);
    await app.close();
    expect(over).toEqual(['all', 'dead']);
    events.stream('dead').subscribe({ complete: () => over.push('late') });
    expect(over).toEqual(['all', 'dead', 'late']);
  });

  it('refuses a type that there is not', async () => {
    const { events } = await watched();
    expect(() => events.stream('ded' as never)).toThrow(InvalidOptionError);
  });
});
