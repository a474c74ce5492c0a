import { describe, expect, it } from '@jest/globals';
import { Job, type RunnerOptions, type Task } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate, type Gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { down, TroubledStore, type Trouble } from './fixtures/troubled-store.js';

const second = 1_000;
type Claiming = NonNullable<Trouble['claim']>;

const silent = (): Promise<never> => new Promise(() => undefined);

/** The store takes the step, and its answer gets lost. */
const lose: Claiming = async (go) => {
  await go();
  throw new Error('connection reset');
};

/** An application with a job in each of the queues `a` and `b`, whose runs last as long as a test says. */
async function startQueuesWith(runner: RunnerOptions) {
  const troubled = new TroubledStore();
  const ran: string[] = [];
  const ends = new Map<string, Gate>();
  class Noting {
    async run(_: void, { id }: Task): Promise<void> {
      ran.push(id);
      await ends.get(id)?.opened;
    }
  }
  @Job({ name: 'A', queue: 'a', keep: '1h' })
  class A extends Noting {}
  @Job({ name: 'B', queue: 'b', keep: '1h' })
  class B extends Noting {}
  const app = await start({ providers: [A, B], before: troubled.before, options: { runner } });
  await app.advance(0);
  const enqueue = (id: string) => app.jobs.enqueue(id.startsWith('a') ? A : B, undefined, { id });
  const record = (id: string) => app.store.catalog.get({ queue: id[0]!, id });
  const { trouble, calls, settlements } = troubled;
  return { ...app, trouble, calls, settlements, ran, ends, enqueue, record };
}

// With many slots a runner has two exchanges under way.
describe.each([10, 64])('with %d slots', (concurrency) => {
  const startQueues = (runner: RunnerOptions = {}) => startQueuesWith({ concurrency, ...runner });

  describe('a claim whose answer is lost', () => {
    it('is handed back even where its queue is full and another queue is asked next', async () => {
      const app = await startQueues({ queues: [{ name: 'a', concurrency: 1 }, 'b'] });
      const { trouble, ran, ends, enqueue, record, advance } = app;
      ends.set('a1', gate());
      await enqueue('a1');
      await enqueue('a2');
      await advance(0);
      expect(ran).toEqual(['a1']);
      // The outcome of the first is refused, so its slot stays taken; what came with its claim is unheard of.
      trouble.settle = down;
      trouble.claim = lose;
      ends.get('a1')!.open();
      await advance(0);
      expect(await record('a2')).toMatchObject({ state: 'pending', attempt: 1 });
      trouble.claim = undefined;
      await enqueue('b1');
      await advance(5 * second);
      expect(ran).toEqual(['a1', 'b1']);
      expect(await record('a2')).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, errors: [] });
      trouble.settle = undefined;
      await advance(5 * second);
      expect(ran).toEqual(['a1', 'b1', 'a2']);
      for (const id of ran)
        expect(await record(id)).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
    });

    it('is handed back even where every slot of the process is taken', async () => {
      const app = await startQueues({ concurrency: 1 });
      const { trouble, ran, ends, enqueue, record, advance } = app;
      ends.set('a1', gate());
      await enqueue('a1');
      await advance(0);
      await enqueue('a2');
      trouble.settle = down;
      trouble.claim = lose;
      ends.get('a1')!.open();
      await advance(0);
      expect((await record('a2'))?.state).toBe('pending');
      trouble.claim = undefined;
      await advance(5 * second);
      expect(ran).toEqual(['a1']);
      expect(await record('a2')).toMatchObject({ state: 'waiting', attempt: 0, failures: 0 });
      trouble.settle = undefined;
      await advance(5 * second);
      expect(ran).toEqual(['a1', 'a2']);
    });

    it('leaves alone what the runner knows to hold', async () => {
      const { trouble, ran, ends, enqueue, record, advance } = await startQueues();
      for (const id of ['a1', 'b1']) ends.set(id, gate());
      for (const id of ['a1', 'b1']) await enqueue(id);
      await advance(0);
      trouble.claim = lose;
      for (const id of ['a2', 'b2']) await enqueue(id);
      await advance(0);
      trouble.claim = undefined;
      await advance(5 * second);
      for (const end of ends.values()) end.open();
      await advance(0);
      expect(ran.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2']);
      for (const id of ran)
        expect(await record(id)).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
    });
  });

  describe('a runner that ends after an answer was lost', () => {
    it('hands back what the store holds in its name, before it is through', async () => {
      const { trouble, ran, enqueue, record, runner } = await startQueues();
      trouble.claim = lose;
      await enqueue('a1');
      await settled();
      expect((await record('a1'))?.state).toBe('pending');
      trouble.claim = undefined;
      await runner.stop();
      expect(await record('a1')).toMatchObject({ state: 'waiting', attempt: 0, failures: 0 });
      expect(ran).toEqual([]);
    });

    it.each([
      ['never answers', silent],
      ['refuses', down],
    ])('does not wait for ever for a store that %s', async (_, trouble) => {
      for (const how of ['stop', 'close'] as const) {
        const app = await startQueues();
        app.trouble.claim = lose;
        await app.enqueue('a1');
        await settled();
        app.trouble.claim = trouble;
        const before = app.calls.claim;
        let isOver = false;
        const ending = (how === 'stop' ? app.runner.stop() : app.app.close()).then(() => (isOver = true));
        await app.advance(6 * second);
        expect([isOver, app.runner.isRunning]).toEqual([true, false]);
        await ending;
        expect(app.calls.claim - before).toBe(1);
      }
    });

    it('does not wait for ever for a claim that is under way either', async () => {
      const { trouble, enqueue, runner, advance } = await startQueues();
      trouble.claim = silent;
      await enqueue('a1');
      await settled();
      let isOver = false;
      const ending = runner.stop().then(() => (isOver = true));
      await advance(15 * second);
      expect(isOver).toBe(true);
      await ending;
    });

    it('does not keep what such a claim brings after its end: another runner gets it, a lease later at most', async () => {
      const { trouble, calls, ran, enqueue, runner, advance } = await startQueues();
      const answer = gate();
      trouble.claim = async (go) => {
        const claim = await go();
        await answer.opened;
        return claim;
      };
      await enqueue('a1');
      await settled();
      const ending = runner.stop();
      await advance(6 * second);
      await ending;
      trouble.claim = undefined;
      answer.open();
      await advance(0);
      await runner.start();
      await advance(20 * second);
      expect(ran).toEqual(['a1']);
      expect(calls.renew).toBe(0);
    });
  });

  describe('a claim whose answer comes later than its lease', () => {
    it('begins nothing: another runner has the tasks by now', async () => {
      const { trouble, ran, enqueue, record, advance, store, settlements } = await startQueues();
      const answer = gate();
      trouble.claim = async (go) => {
        const claim = await go();
        await answer.opened;
        return claim;
      };
      await enqueue('a1');
      await advance(21 * second);
      const { tasks } = await store.tasks.claim({
        queues: [{ queue: 'a', limit: 1 }],
        limit: 1,
        leaseMs: 3_600 * second,
        runner: 'another',
      });
      expect(tasks).toMatchObject([{ id: 'a1' }]);
      trouble.claim = undefined;
      answer.open();
      await advance(60 * second);
      expect(ran).toEqual([]);
      expect(settlements.map(({ outcome }) => outcome)).toEqual(['handed-back']);
      expect(await record('a1')).toMatchObject({ state: 'pending', runner: 'another', attempt: 2 });
      // Its slot is free again.
      for (let count = 0; count < 10; count++) await enqueue(`b${count}`);
      await advance(0);
      expect(ran).toHaveLength(10);
    });
  });
});
