import { describe, expect, it } from '@jest/globals';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { EnqueueFailedError, Job, JobQueue, type Backend } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { watchingTimers } from '../support/open-timers.js';
import { start } from './fixtures/start.js';

@Job({ name: 'Usual' })
class Usual {
  run(): void {}
}

/** Enqueues in the moment in which the application closes. */
@Injectable()
class Late implements OnApplicationShutdown {
  enqueued: Promise<unknown> | undefined;

  constructor(private readonly jobs: JobQueue) {}

  onApplicationShutdown(): void {
    this.enqueued = this.jobs.enqueue(Usual, undefined, { id: 'late' });
    this.enqueued.catch(() => undefined);
  }
}

/** A store that answers `add` as a test says, and notes what reaches it. */
function adding(add: (go: () => ReturnType<Backend['tasks']['add']>) => ReturnType<Backend['tasks']['add']>) {
  const reached: string[] = [];
  const before = (store: Backend): Backend => ({
    ...store,
    tasks: {
      add: (groups) => {
        for (const group of groups) reached.push(...group.map(({ id }) => id));
        return add(() => store.tasks.add(groups));
      },
      claim: (request) => store.tasks.claim(request),
      settle: (settlements) => store.tasks.settle(settlements),
      renew: (leases, leaseMs) => store.tasks.renew(leases, leaseMs),
      annotate: (notes) => store.tasks.annotate(notes),
      unpark: (queue, definitions, after) => store.tasks.unpark(queue, definitions, after),
    },
  });
  return { reached, before };
}

const silent = (): Promise<never> => new Promise(() => undefined);

describe('a call that the close of the application cuts short', () => {
  it('says whether its task may have reached the store', async () => {
    const { reached, before } = adding(silent);
    const app = await start({ providers: [Usual, Late], before });
    const early = app.jobs.enqueue(Usual, undefined, { id: 'early' });
    early.catch(() => undefined);
    await settled();
    await app.app.close();
    await expect(early).rejects.toBeInstanceOf(EnqueueFailedError);
    await expect(early).rejects.toMatchObject({ id: 'early', sent: true });
    const late = app.app.get(Late).enqueued;
    await expect(late).rejects.toBeInstanceOf(EnqueueFailedError);
    await expect(late).rejects.toMatchObject({ id: 'late', sent: false });
    await settled();
    expect(reached).toEqual(['early']);
  });

  it('leaves no timer behind', () =>
    watchingTimers(async (open) => {
      const { before } = adding(silent);
      const options = { enqueueTimeout: '1h' };
      const app = await start({ providers: [Usual, Late], before, options, realTime: true });
      const calls = ['a', 'b'].map((id) => app.jobs.enqueue(Usual, undefined, { id }));
      await settled();
      expect(open()).toBeGreaterThan(0);
      await Promise.all([app.app.close(), Promise.allSettled(calls)]);
      await settled();
      expect(open()).toBe(0);
    }));
});

describe('a call that fails while the application goes on', () => {
  it('says that its task may have reached the store, unless the store knows better', async () => {
    for (const [error, sent] of [
      [new Error('connection reset'), true],
      [Object.assign(new Error('not connected'), { sent: false }), false],
      [Object.assign(new Error('no answer'), { sent: true }), true],
      [undefined, true],
    ] as const) {
      const { before } = adding(() => Promise.reject(error));
      const app = await start({ providers: [Usual], before });
      await expect(app.jobs.enqueue(Usual)).rejects.toMatchObject({ code: 'ENQUEUE_FAILED', sent });
    }
  });

  it('says the same where the store did not answer in time', async () => {
    const { before } = adding(silent);
    const app = await start({ providers: [Usual], before });
    const calling = app.jobs.enqueue(Usual);
    calling.catch(() => undefined);
    await app.advance(5_000);
    await expect(calling).rejects.toMatchObject({ code: 'ENQUEUE_TIMEOUT', sent: true });
  });
});
