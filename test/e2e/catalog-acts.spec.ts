import { expect, it } from '@jest/globals';
import { InvalidCursorError, InvalidOptionError, Job, type Backend, type Task } from 'nestjs-jobs';
import { eventually, type TestApp } from '../support/app.js';
import { describeCatalog } from './fixtures/catalog-stage.js';

@Job({ name: 'Mail', queue: 'mail', retries: 0 })
class Mail {
  run(): void {
    throw new Error('no host');
  }
}

@Job({ name: 'Other', queue: 'other', retries: 0 })
class Other {
  run(): void {
    throw new Error('no such order');
  }
}

const providers = [Mail, Other];
const none = { done: 0, left: 0, taken: 0, missing: 0, requested: 0, complete: true };

async function enqueueMany({ jobs }: TestApp, count: number, options: object = {}): Promise<string[]> {
  const enqueued = await jobs.bulk((bulk) => {
    for (let n = 0; n < count; n++) bulk.enqueue(Mail, undefined, { id: `m${n}`, ...options });
  });
  return enqueued.map(({ id }) => id);
}

/** The store behind the catalog; what is put in the place of a method of its catalog is called instead. */
function storeOf({ catalog }: TestApp): Backend {
  return (catalog as unknown as { backend: Backend }).backend;
}

describeCatalog('Acting by the catalog', (start) => {
  it('on one task answers for it', async () => {
    const app = await start({ providers });
    await enqueueMany(app, 1);
    expect(await app.catalog.cancel('m0')).toBe('done');
    expect(await app.catalog.cancel({ queue: 'mail', id: 'm0' })).toBe('left');
    expect(await app.catalog.retry((await app.catalog.task('m0'))!)).toBe('done');
    expect(await app.catalog.remove('nobody')).toBe('missing');
  });

  it('on a list answers how many', async () => {
    const app = await start({ providers });
    await enqueueMany(app, 3, { in: '1h' });
    const { id } = await app.jobs.enqueue(Other);
    expect(await app.catalog.runNow(['m0', { queue: 'mail', id: 'm1' }, id, 'nobody'])).toEqual({
      ...none,
      done: 2,
      left: 1,
      missing: 1,
    });
    expect(await app.catalog.counts('mail')).toMatchObject({ waiting: 2, scheduled: 1 });
    expect(await app.catalog.remove([])).toEqual(none);
    await expect(app.catalog.remove([{ queue: 'mail' } as never])).rejects.toThrow(InvalidOptionError);
  });

  it('on a filter deals with all that it means, and with nothing else', async () => {
    const app = await start({ providers });
    const { catalog, jobs } = app;
    const ids = await enqueueMany(app, 1_234);
    const some = ids.filter((id) => id.includes('m12')).length;
    await jobs.enqueue(Other, undefined, { id: 'other' });
    expect(await catalog.cancel({ state: 'waiting', queue: 'mail' })).toEqual({ ...none, done: 1_234 });
    expect(await catalog.counts()).toMatchObject({ cancelled: 1_234, waiting: 1 });
    expect(await catalog.retry({ state: ['dead', 'cancelled'], text: 'm12' })).toEqual({
      ...none,
      done: some,
    });
    expect(await catalog.count({ state: 'waiting', queue: 'mail' })).toMatchObject({ count: some });
    expect(await catalog.remove({ state: 'cancelled' })).toEqual({ ...none, done: 1_234 - some });
    expect(await catalog.remove({ state: 'cancelled' })).toEqual(none);
  });

  it('on a filter goes on where it stopped, and is then done', async () => {
    const app = await start({ providers });
    await enqueueMany(app, 25);
    const first = await app.catalog.remove({ state: 'waiting' }, { limit: 10 });
    expect(first).toEqual({ ...none, done: 10, complete: false, next: expect.any(String) });
    const second = await app.catalog.remove({ state: 'waiting' }, { limit: 10, after: first.next });
    const third = await app.catalog.remove({ state: 'waiting' }, { limit: 10, after: second.next });
    expect(third).toEqual({ ...none, done: 5 });
    await expect(app.catalog.cancel({ state: 'waiting' }, { after: first.next })).rejects.toThrow(
      InvalidCursorError,
    );
  });

  it('on a filter does not chase what comes in while it acts, in this call or the next', async () => {
    const app = await start({ providers, options: { runner: {} } });
    const { catalog } = app;
    await enqueueMany(app, 30);
    await eventually(async () => (await catalog.counts('mail')).dead === 30);
    const first = await catalog.retry({ state: 'dead' }, { limit: 10 });
    expect(first).toMatchObject({ done: 10, complete: false });
    // They die once more, and stand behind the others.
    await eventually(async () => (await catalog.counts('mail')).dead === 30);
    let { next } = first;
    const done: number[] = [];
    while (next !== undefined) {
      const answer = await catalog.retry({ state: 'dead' }, { limit: 10, after: next });
      done.push(answer.done);
      next = answer.next;
      await eventually(async () => (await catalog.counts('mail')).dead === 30);
    }
    expect(done.reduce((sum, n) => sum + n, 0)).toBe(20);
  });

  it('on a filter leaves a task alone that has moved meanwhile, and says so', async () => {
    const app = await start({ providers });
    const { catalog } = app;
    await enqueueMany(app, 3, { in: '1h' });
    const store = storeOf(app);
    const seen = store.catalog.remove.bind(store.catalog);
    // Between the look and the act, somebody else comes by.
    store.catalog.remove = async (refs) => {
      store.catalog.remove = seen;
      await store.catalog.runNow([{ queue: 'mail', id: 'm1' }]);
      await store.catalog.remove([{ queue: 'mail', id: 'm2' }]);
      return seen(refs);
    };
    expect(await catalog.remove({ state: 'scheduled' })).toEqual({ ...none, done: 1, left: 1, missing: 1 });
    expect((await catalog.task('m1'))?.state).toBe('waiting');
  });

  it('asks running tasks to stop', async () => {
    const stopped: string[] = [];
    @Job({ name: 'Long' })
    class Long {
      run(_: void, { id, signal }: Task): Promise<void> {
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped.push(id);
            resolve();
          });
        });
      }
    }
    const { jobs, catalog } = await start({ providers: [Long], options: { runner: {} } });
    for (const id of ['a', 'b']) await jobs.enqueue(Long, undefined, { id });
    await eventually(async () => (await catalog.counts()).pending === 2);
    expect(await catalog.cancel({ state: ['pending', 'waiting'] })).toEqual({ ...none, requested: 2 });
    await eventually(() => stopped.length === 2, 5_000);
  });

  it('refuses a filter that does not say in which states, or says one in which it cannot be done', async () => {
    const { catalog } = await start({ providers });
    await expect(catalog.remove({} as never)).rejects.toThrow(
      /^remove: state is undefined, but must be one or more of scheduled, waiting/,
    );
    await expect(catalog.retry({ state: 'waiting' })).rejects.toThrow(
      /one or more of dead, cancelled, parked/,
    );
    await expect(catalog.remove({ state: 'pending' })).rejects.toThrow(InvalidOptionError);
    await expect(catalog.runNow({ state: 'scheduled', jobs: 'x' } as never)).rejects.toThrow(/filter\.jobs/);
    await expect(catalog.retry(undefined as never)).rejects.toThrow(InvalidOptionError);
    await expect(catalog.cancel({ state: 'waiting' }, { limit: 0 })).rejects.toThrow(/limit/);
  });

  it('redrives a group of failures', async () => {
    const app = await start({ providers, options: { runner: {} } });
    const { catalog, jobs } = app;
    await enqueueMany(app, 12);
    for (let n = 0; n < 3; n++) await jobs.enqueue(Other);
    await eventually(async () => (await catalog.counts()).dead === 15);
    const { groups, count, complete } = await catalog.failures();
    expect([count, complete]).toEqual([15, true]);
    expect(groups).toMatchObject([
      { job: 'Mail', error: 'Error: no host', count: 12, queues: ['mail'], sample: { queue: 'mail' } },
      { job: 'Other', error: 'Error: no such order', count: 3, queues: ['other'] },
    ]);
    expect(groups[0]!.firstAt.getTime()).toBeLessThanOrEqual(groups[0]!.lastAt.getTime());
    expect((await catalog.task(groups[0]!.sample))?.job).toBe('Mail');
    expect((await catalog.failures({ job: 'Other' })).groups).toHaveLength(1);
    const { job, error } = groups[1]!;
    await app.runner.stop();
    expect(await catalog.retry({ state: 'dead', job, error })).toEqual({ ...none, done: 3 });
    expect(await catalog.counts()).toMatchObject({ dead: 12, waiting: 3 });
  });
});
