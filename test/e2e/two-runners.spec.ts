import { describe, expect, it } from '@jest/globals';
import { Job, memoryBackend, type Task } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { aborted, gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const second = 1_000;

/** Two runners on one store; what is enqueued is the first one's, as the second starts only then. */
async function startTwo(work: (task: Task) => Promise<unknown> | void) {
  const runs: { by: string; at: number; attempt: number; failures: number }[] = [];
  const jobOf = (by: string) => {
    @Job({ name: 'Shared', keep: '1h', backoff: '7s' })
    class Shared {
      async run(_: void, task: Task): Promise<void> {
        const { attempt, failures } = task;
        runs.push({ by, at: first.now() - beganAt, attempt, failures });
        if (by === 'first') await work(task);
      }
    }
    return Shared;
  };
  const Shared = jobOf('first');
  const options = { runner: { shutdownTimeout: '10s' } };
  const first = await start({ providers: [Shared], options });
  const beganAt = first.now();
  const { id } = await first.jobs.enqueue(Shared);
  await first.advance(0);
  const second = await start({ providers: [jobOf('second')], beside: first, options });
  await first.advance(0);
  expect(runs).toEqual([{ by: 'first', at: 0, attempt: 1, failures: 0 }]);
  const record = () => second.catalog.task(id);
  return { first, advance: (ms: number) => first.advance(ms), runs, record };
}

describe('what a runner leaves when it stops', () => {
  it.each([
    ['hangs', () => new Promise(() => undefined), 11 * second],
    ['gives up when told to', ({ signal }: Task) => aborted(signal), 10 * second],
  ])('is run at once by another runner where it %s and is handed back', async (_, work, at) => {
    const { first, advance, runs, record } = await startTwo(work);
    const stopping = first.runner.stop();
    await advance(at - 1);
    expect(runs).toHaveLength(1);
    await advance(1);
    await stopping;
    expect(runs.slice(1)).toEqual([{ by: 'second', at, attempt: 1, failures: 0 }]);
    expect(await record()).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0, errors: [] });
  });

  it('is run by another runner at its due time where it failed and is to be tried again', async () => {
    const end = gate();
    const { first, advance, runs, record } = await startTwo(() => end.opened);
    const stopping = first.runner.stop();
    end.fail(new Error('no'));
    await advance(0);
    await stopping;
    await advance(7 * second - 1);
    expect(runs).toHaveLength(1);
    await advance(1);
    expect(runs.slice(1)).toEqual([{ by: 'second', at: 7 * second, attempt: 2, failures: 1 }]);
    expect((await record())?.state).toBe('succeeded');
  });

  it('is run by another runner at its due time where it was snoozed', async () => {
    const end = gate();
    const { first, advance, runs } = await startTwo(async (task) => {
      await end.opened;
      task.snooze('5s');
    });
    const stopping = first.runner.stop();
    end.open();
    await advance(0);
    await stopping;
    await advance(5 * second);
    expect(runs.slice(1)).toEqual([{ by: 'second', at: 5 * second, attempt: 1, failures: 0 }]);
  });
});

describe('two runners on one store in real time', () => {
  it('run every task once, also while one of them stops and starts all the time', async () => {
    const backend = memoryBackend();
    const runs = new Map<string, number>();
    @Job({ name: 'Shared', keep: '1h' })
    class Shared {
      async run(_: void, { id }: Task): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        runs.set(id, (runs.get(id) ?? 0) + 1);
      }
    }
    const before = () => backend;
    const one = await start({ providers: [Shared], realTime: true, before });
    const two = await start({ providers: [Shared], realTime: true, before });
    const count = 2_000;
    let isEnough = false;
    const toggling = (async () => {
      while (!isEnough) {
        await two.runner.stop();
        await two.runner.start();
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let index = 0; index < count; index++)
      await one.jobs.enqueue(Shared, undefined, { id: `t${index}` });
    await eventually(() => runs.size === count, 10_000);
    isEnough = true;
    await toggling;
    expect([...runs.values()].every((times) => times === 1)).toBe(true);
    await eventually(async () => (await one.catalog.counts('default')).succeeded === count);
  }, 20_000);
});
