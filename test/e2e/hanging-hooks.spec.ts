import { describe, expect, it } from '@jest/globals';
import { Job, JobHooks, type Duration, type JobHandler, type Task } from 'nestjs-jobs';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;
const forever = (): Promise<never> => new Promise(() => undefined);

/** An application with one slot, for a job whose methods a test chooses, and for another that notes its runs. */
async function startHanging(
  methods: Partial<JobHandler>,
  options: { timeout?: Duration; hooks?: object; shutdownTimeout?: Duration } = {},
) {
  const troubled = new TroubledStore();
  let others = 0;
  @Job({ name: 'Hanging', keep: '1h', backoff: '3s', timeout: options.timeout })
  class Hanging {
    run(): unknown {
      return 'done';
    }
  }
  Object.assign(Hanging.prototype, methods);
  @Job({ name: 'Other' })
  class Other {
    run(): void {
      others++;
    }
  }
  @JobHooks()
  class Hooks {}
  Object.assign(Hooks.prototype, options.hooks);
  const app = await start({
    providers: [Hanging, Other, Hooks],
    before: troubled.before,
    options: { runner: { concurrency: 1, shutdownTimeout: options.shutdownTimeout } },
  });
  await app.jobs.enqueue(Hanging, undefined, { id: 'hanging' });
  await app.advance(0);
  await app.jobs.enqueue(Other);
  const record = () => app.store.catalog.get({ queue: 'default', id: 'hanging' });
  const complaints = () =>
    app.lines.filter(({ level, context }) => level === 'error' && context === 'Hanging');
  return { ...app, settlements: troubled.settlements, others: () => others, record, complaints };
}

const failing = () => {
  throw new Error('no');
};

describe('a drain that ends before what follows a run', () => {
  it.each([
    ['afterRun of a success', { afterRun: forever }],
    ['afterRun of a failure', { run: failing, afterRun: forever }],
    ['shouldRetry', { run: failing, shouldRetry: forever }],
    ['retryDelay', { run: failing, retryDelay: forever }],
  ])('hands the task back when %s hangs: nothing of its run is stored', async (_, methods) => {
    const app = await startHanging(methods, { shutdownTimeout: '10s' });
    let isClosed = false;
    const closing = app.app.close().then(() => (isClosed = true));
    await app.advance(11 * second - 1);
    expect(isClosed).toBe(false);
    expect(await app.record()).toMatchObject({ state: 'pending', attempt: 1 });
    await app.advance(1);
    await closing;
    expect(await app.record()).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, errors: [] });
    expect(app.settlements.map(({ outcome }) => outcome)).toEqual(['handed-back']);
    expect(app.runner.abandoned).toBe(1);
  });

  it('lets a success count whose afterRun ends within the last second', async () => {
    const end = gate();
    const app = await startHanging({ afterRun: () => end.opened }, { shutdownTimeout: '10s' });
    const closing = app.app.close();
    await app.advance(10.5 * second);
    end.open();
    await app.advance(0);
    await closing;
    expect(await app.record()).toMatchObject({ state: 'succeeded', attempt: 1, result: '"done"' });
  });
});

describe('a timeout', () => {
  it.each([
    ['its own', { afterRun: forever }, {}],
    ['that of all jobs', {}, { afterRun: forever }],
  ])('frees the slot of a success whose afterRun hangs, %s, and leaves it a success', async (_, own, all) => {
    const app = await startHanging(own, { timeout: '5s', hooks: all });
    await app.advance(5 * second - 1);
    expect((await app.record())?.state).toBe('pending');
    expect([app.others(), app.runner.abandoned]).toEqual([0, 0]);
    await app.advance(1);
    expect(await app.record()).toMatchObject({
      state: 'succeeded',
      attempt: 1,
      failures: 0,
      errors: [],
      result: '"done"',
    });
    // The hook of all jobs hangs for the other one, too.
    expect(app.runner.abandoned).toBe(1);
    expect(app.others()).toBe(1);
    expect(app.complaints()).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/hanging.*afterRun.*timeout/) }),
    ]);
  });

  it.each([
    ['shouldRetry', { run: failing, shouldRetry: forever }],
    ['retryDelay', { run: failing, retryDelay: forever }],
  ])('frees the slot of a failure whose %s hangs: it runs again by its backoff', async (_, methods) => {
    const app = await startHanging(methods, { timeout: '5s' });
    await app.advance(5 * second - 1);
    expect([(await app.record())?.state, app.others()]).toEqual(['pending', 0]);
    await app.advance(1);
    expect(await app.record()).toMatchObject({
      state: 'scheduled',
      dueAt: app.now() + 3 * second,
      failures: 1,
      errors: [{ message: 'no' }],
    });
    expect(app.others()).toBe(1);
    expect(app.complaints()).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/hanging.*retry rule.*timeout/) }),
    ]);
  });

  it('frees the slot of a failure whose afterRun hangs, and keeps what was decided', async () => {
    const app = await startHanging(
      { run: failing, retryDelay: () => '1h', afterRun: forever },
      { timeout: '5s' },
    );
    await app.advance(5 * second);
    expect(await app.record()).toMatchObject({
      state: 'scheduled',
      dueAt: app.now() + 3_600 * second,
      failures: 1,
    });
    expect(app.others()).toBe(1);
    expect(app.complaints()).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/hanging.*afterRun.*timeout/) }),
    ]);
  });

  it('that ended the run still gives afterRun its time, and no more', async () => {
    const seen: unknown[] = [];
    const app = await startHanging(
      {
        run: forever,
        afterRun: (success: boolean, { willRetry }: Task<void>) => (seen.push(success, willRetry), forever()),
      },
      { timeout: '5s' },
    );
    await app.advance(5 * second);
    expect(seen).toEqual([false, true]);
    expect((await app.record())?.state).toBe('pending');
    await app.advance(5 * second);
    expect(await app.record()).toMatchObject({
      state: 'scheduled',
      failures: 1,
      errors: [{ name: 'TaskTimeoutError' }],
    });
    expect(app.others()).toBe(1);
  });

  it('is not there for a hook that only takes long', async () => {
    const end = gate();
    const app = await startHanging({ afterRun: () => end.opened });
    await app.advance(600 * second);
    expect(await app.record()).toMatchObject({ state: 'pending', attempt: 1 });
    end.open();
    await app.advance(0);
    expect((await app.record())?.state).toBe('succeeded');
  });
});
