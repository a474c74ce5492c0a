import { describe, expect, it } from '@jest/globals';
import { Job, type Duration, type RunnerOptions, type Task } from 'nestjs-jobs';
import { gate, type Gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;

/** An application whose one job notes its runs and ends them when a test says so, if it holds them. */
async function startNoting(runner: RunnerOptions = {}) {
  const troubled = new TroubledStore();
  const ran: string[] = [];
  const ends = new Map<string, Gate>();
  @Job({ name: 'Noting', keep: '1h' })
  class Noting {
    async run(_: void, { id }: Task): Promise<void> {
      ran.push(id);
      await ends.get(id)?.opened;
    }
  }
  const app = await start({ providers: [Noting], before: troubled.before, options: { runner } });
  await app.advance(0);
  const enqueue = (id: string, delay: Duration = 0) => app.jobs.enqueue(Noting, undefined, { id, in: delay });
  return { ...app, trouble: troubled.trouble, calls: troubled.calls, ran, ends, enqueue };
}

/** Keeps back the answer of the next claim, which is as old as its question. */
function holdNextAnswer({ trouble }: Pick<TroubledStore, 'trouble'>): Gate {
  const answer = gate();
  trouble.claim = async (go) => {
    trouble.claim = undefined;
    const claim = await go();
    await answer.opened;
    return claim;
  };
  return answer;
}

describe('a bell that rings while a claim is under way', () => {
  it('leads to another claim after one that brought nothing', async () => {
    const app = await startNoting();
    const answer = holdNextAnswer(app);
    app.store.bell.ring('default');
    await app.advance(0);
    await app.enqueue('a');
    await app.advance(0);
    expect(app.ran).toEqual([]);
    answer.open();
    await app.advance(0);
    expect(app.ran).toEqual(['a']);
  });

  it('leads to another claim after one that brought something', async () => {
    const app = await startNoting();
    app.ends.set('a', gate());
    const answer = holdNextAnswer(app);
    await app.enqueue('a');
    await app.advance(0);
    await app.enqueue('b');
    await app.advance(0);
    answer.open();
    await app.advance(0);
    expect(app.ran).toEqual(['a', 'b']);
    app.ends.get('a')!.open();
  });

  it('leads to another claim when the first one has left a slot free again', async () => {
    const app = await startNoting({ concurrency: 1 });
    app.ends.set('a', gate());
    const answer = holdNextAnswer(app);
    await app.enqueue('a');
    await app.advance(0);
    await app.enqueue('b');
    answer.open();
    await app.advance(0);
    expect(app.ran).toEqual(['a']);
    app.ends.get('a')!.open();
    await app.advance(0);
    expect(app.ran).toEqual(['a', 'b']);
  });

  it('leads to one that comes in time for a task that is due before what the answer knew of', async () => {
    const app = await startNoting();
    const answer = holdNextAnswer(app);
    app.store.bell.ring('default');
    await app.advance(0);
    await app.enqueue('soon', '10s');
    await app.advance(5 * second);
    answer.open();
    await app.advance(5 * second - 1);
    expect(app.ran).toEqual([]);
    await app.advance(1);
    expect(app.ran).toEqual(['soon']);
  });

  it('does not lead to a loop', async () => {
    const app = await startNoting();
    const answer = holdNextAnswer(app);
    app.store.bell.ring('default');
    await app.advance(0);
    const before = app.calls.claim;
    for (let rings = 0; rings < 100; rings++) app.store.bell.ring('default');
    await app.advance(0);
    answer.open();
    await app.advance(3_600 * second);
    expect(app.calls.claim - before).toBe(1);
  });
});

describe('a runner whose leases could not be renewed', () => {
  it.each([
    ['refused', down],
    ['unanswered', () => new Promise<never>(() => undefined)],
  ])('claims again when no task is left to renew, even while renewals are still %s', async (_, trouble) => {
    const app = await startNoting();
    app.ends.set('a', gate());
    await app.enqueue('a');
    await app.advance(0);
    app.trouble.renew = trouble;
    await app.advance(15 * second);
    await app.enqueue('b');
    await app.advance(0);
    expect(app.ran).toEqual(['a']);
    app.ends.get('a')!.open();
    await app.advance(6 * second);
    expect(app.ran).toEqual(['a', 'b']);
    await app.enqueue('c');
    await app.advance(0);
    expect(app.ran).toEqual(['a', 'b', 'c']);
  });
});
