import { describe, expect, it } from '@jest/globals';
import { Job, type RunnerOptions, type Task } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;
const minute = 60 * second;

/** An application whose one job notes its runs. */
async function startNoting(runner: RunnerOptions = {}, work: (task: Task) => unknown = () => undefined) {
  const troubled = new TroubledStore();
  const ran: string[] = [];
  @Job({ keep: '1h' })
  class Noting {
    run(_: void, task: Task): unknown {
      ran.push(task.id);
      return work(task);
    }
  }
  const app = await start({ providers: [Noting], before: troubled.before, options: { runner } });
  await app.advance(0);
  const enqueue = (id: string) => app.jobs.enqueue(Noting, undefined, { id });
  const { trouble, calls, settlements } = troubled;
  return { ...app, trouble, calls, settlements, ran, enqueue };
}

describe('a store that refuses claims', () => {
  it('is asked again with growing pauses, whatever is enqueued, and gives all its tasks when it returns', async () => {
    const { trouble, calls, enqueue, advance, ran, lines } = await startNoting();
    trouble.claim = down;
    const before = calls.claim;
    const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
    for (const id of ids) {
      await enqueue(id);
      await advance(600);
    }
    expect(calls.claim - before).toBeGreaterThan(5);
    expect(calls.claim - before).toBeLessThan(30);
    expect(lines.filter(({ context, level }) => context === 'JobRunner' && level === 'warn')).toHaveLength(1);
    trouble.claim = undefined;
    await advance(5 * second);
    expect(ran.toSorted()).toEqual(ids.toSorted());
  });

  it('that took effect although the reply was lost: the tasks are handed back, not lost', async () => {
    const { trouble, enqueue, advance, ran, catalog } = await startNoting();
    trouble.claim = async (go) => {
      await go();
      throw new Error('connection reset');
    };
    await enqueue('a');
    await settled();
    expect((await catalog.task('a'))?.state).toBe('pending');
    trouble.claim = undefined;
    await advance(5 * second);
    expect(ran).toEqual(['a']);
    expect(await catalog.task('a')).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
  });

  it('that answers after the lease has ended: the task is not begun then, and runs once', async () => {
    const { trouble, enqueue, advance, ran, catalog } = await startNoting();
    const answer = gate();
    trouble.claim = async (go) => {
      const claim = await go();
      await answer.opened;
      return claim;
    };
    await enqueue('a');
    await advance(minute);
    trouble.claim = undefined;
    answer.open();
    await advance(25 * second);
    expect(ran).toEqual(['a']);
    expect(await catalog.task('a')).toMatchObject({ state: 'succeeded', failures: 0 });
  });

  it('by throwing at once is no worse', async () => {
    const { trouble, enqueue, advance, ran } = await startNoting();
    trouble.claim = () => {
      throw new Error('not even a promise');
    };
    await enqueue('a');
    await advance(minute);
    trouble.claim = undefined;
    await advance(5 * second);
    expect(ran).toEqual(['a']);
  });
});

describe('a store that refuses outcomes', () => {
  it('gets them when it returns, as repeats, and nothing runs twice', async () => {
    const { trouble, calls, settlements, enqueue, advance, ran, catalog } = await startNoting();
    trouble.settle = down;
    for (const id of ['a', 'b', 'c']) await enqueue(id);
    await advance(10 * minute);
    expect(ran.toSorted()).toEqual(['a', 'b', 'c']);
    expect(calls.settle).toBeGreaterThan(10);
    expect(calls.settle).toBeLessThan(200);
    trouble.settle = undefined;
    await advance(5 * second);
    for (const id of ['a', 'b', 'c']) {
      expect(await catalog.task(id)).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
      const sent = settlements.filter((settlement) => settlement.id === id);
      expect(sent[0]!.repeat ?? false).toBe(false);
      expect(sent.slice(1).every(({ repeat }) => repeat)).toBe(true);
    }
    expect(ran).toHaveLength(3);
  });

  it('keeps the slots of unstored outcomes taken: not everything is run meanwhile', async () => {
    const { trouble, enqueue, advance, ran } = await startNoting({ concurrency: 2 });
    trouble.settle = down;
    for (let count = 0; count < 50; count++) await enqueue(`t${count}`);
    await advance(10 * minute);
    // One exchange may claim for slots that it is about to free; no more than that.
    expect(ran.length).toBeLessThanOrEqual(4);
    trouble.settle = undefined;
    await advance(minute);
    expect(ran).toHaveLength(50);
    expect(new Set(ran).size).toBe(50);
  });

  it('leaks no slot: as many run at once afterwards as before', async () => {
    let running = 0;
    let most = 0;
    const end = gate();
    const { trouble, enqueue, advance, ran } = await startNoting({ concurrency: 3 }, async ({ id }) => {
      if (id.startsWith('early')) return;
      most = Math.max(most, ++running);
      await end.opened;
      running--;
    });
    trouble.settle = down;
    for (let count = 0; count < 3; count++) await enqueue(`early${count}`);
    await advance(minute);
    trouble.settle = undefined;
    await advance(5 * second);
    for (let count = 0; count < 9; count++) await enqueue(`late${count}`);
    await advance(0);
    expect([running, most]).toEqual([3, 3]);
    end.open();
    await advance(0);
    expect([running, most]).toEqual([0, 3]);
    expect(ran).toHaveLength(12);
  });

  it('that took effect although the reply was lost count once, whatever they are', async () => {
    const { trouble, enqueue, advance, ran, catalog, lines } = await startNoting({}, (task) => {
      if (task.id === 'snooze') task.snooze('1h');
      if (task.id === 'retry') throw new Error('no');
      if (task.id === 'dead') task.fail('no', { retry: false });
    });
    let isLost = false;
    trouble.settle = async (go) => {
      const answers = await go();
      if (isLost) return answers;
      isLost = true;
      throw new Error('connection reset');
    };
    for (const id of ['success', 'snooze', 'retry', 'dead']) await enqueue(id);
    await advance(1 * second);
    expect(ran).toHaveLength(4);
    expect(await catalog.task('success')).toMatchObject({ state: 'succeeded', attempt: 1 });
    expect(await catalog.task('snooze')).toMatchObject({ state: 'scheduled', attempt: 0, failures: 0 });
    expect(await catalog.task('retry')).toMatchObject({ state: 'scheduled', attempt: 1, failures: 1 });
    expect(await catalog.task('dead')).toMatchObject({ state: 'dead', attempt: 1, failures: 1 });
    expect(lines.filter(({ message }) => message.includes('lost'))).toEqual([]);
  });

  it('by not answering for a while has them in the end, and the leases are renewed until then', async () => {
    const { trouble, calls, enqueue, advance, ran, catalog } = await startNoting();
    const answer = gate();
    trouble.settle = (go) => answer.opened.then(go);
    await enqueue('a');
    await advance(2 * minute);
    expect(calls.renew).toBeGreaterThan(10);
    expect((await catalog.task('a'))?.state).toBe('pending');
    trouble.settle = undefined;
    answer.open();
    await advance(5 * second);
    expect(await catalog.task('a')).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
    expect(ran).toEqual(['a']);
  });

  it('does not keep the application from closing, which says what it leaves behind', async () => {
    const { app, trouble, enqueue, advance, lines } = await startNoting({ shutdownTimeout: '10s' });
    trouble.settle = down;
    await enqueue('a');
    await advance(0);
    let isClosed = false;
    const closing = app.close().then(() => (isClosed = true));
    await advance(20 * second);
    expect(isClosed).toBe(true);
    await closing;
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        context: 'JobRunner',
        message: expect.stringContaining('1 '),
      }),
    );
  });
});

describe('a bell', () => {
  it('that cannot lose a ring needs no polling: an idle runner asks nothing', async () => {
    const { calls, advance } = await startNoting();
    const before = { ...calls };
    await advance(24 * 60 * minute);
    expect(calls).toEqual(before);
  });

  it('that loses every ring costs a sweep at most, and sweeps are no busy loop', async () => {
    for (const listen of [async () => () => undefined, down]) {
      const troubled = new TroubledStore();
      let runs = 0;
      @Job()
      class Usual {
        run(): void {
          runs++;
        }
      }
      const app = await start({
        providers: [Usual],
        before: (store) => ({
          ...troubled.before(store),
          bell: { lossless: false, ring: () => undefined, listen, listenToSchedules: listen },
        }),
      });
      await app.advance(0);
      const before = troubled.calls.claim;
      await app.advance(10 * minute);
      expect(troubled.calls.claim - before).toBeGreaterThanOrEqual(100);
      expect(troubled.calls.claim - before).toBeLessThanOrEqual(200);
      await app.jobs.enqueue(Usual);
      await app.advance(5 * second);
      expect(runs).toBe(1);
    }
  });
});
