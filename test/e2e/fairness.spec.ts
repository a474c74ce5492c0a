import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('a loop of awaited enqueues', () => {
  it('lets timers, I/O and the runner have their turns in between', async () => {
    let runs = 0;
    @Job({ name: 'Small' })
    class Small {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Small], realTime: true });
    let ticks = 0;
    let reads = 0;
    const ticking = setInterval(() => ticks++, 5);
    const read = (): Promise<void> =>
      readFile('package.json').then(() => (reads++, isOver ? undefined : read()));
    let isOver = false;
    const reading = read();
    for (let count = 0; count < 100_000; count++) await app.jobs.enqueue(Small);
    isOver = true;
    const seen = { ticks, reads, runs };
    clearInterval(ticking);
    await reading;
    expect(seen.ticks).toBeGreaterThan(3);
    expect(seen.reads).toBeGreaterThan(3);
    expect(seen.runs).toBeGreaterThan(100);
  }, 60_000);

  it('lets other callers in as well, who are not served all at its end', async () => {
    @Job({ name: 'Later' })
    class Later {
      run(): void {}
    }
    const app = await start({ providers: [Later], realTime: true, options: { runner: false } });
    let others = 0;
    const ticking = setInterval(() => void app.jobs.enqueue(Later).then(() => others++), 1);
    for (let count = 0; count < 30_000; count++) await app.jobs.enqueue(Later);
    const seen = others;
    clearInterval(ticking);
    await settled();
    expect(seen).toBeGreaterThan(3);
  }, 60_000);
});

describe('a claim that meets thousands of expired tasks', () => {
  /** A store in which some of 5,000 waiting tasks are good, and the others have expired. */
  async function startExpired(isGood: (index: number) => boolean) {
    let runs = 0;
    @Job({ name: 'Passing' })
    class Passing {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Passing], options: { runner: { autoStart: false } } });
    await app.jobs.bulk((bulk) => {
      for (let index = 1; index <= 5_000; index++)
        bulk.enqueue(Passing, undefined, isGood(index) ? {} : { expires: '1s' });
    });
    await app.advance(2 * second);
    const claimOnce = () =>
      app.store.tasks.claim({
        queues: [{ queue: 'default', limit: 10 }],
        limit: 10,
        leaseMs: 20 * second,
        runner: 'another',
      });
    return { ...app, runs: () => runs, claimOnce };
  }

  it('puts away a thousand of them; the others follow, and then comes the rest', async () => {
    const app = await startExpired((index) => index === 5_000);
    for (const cancelled of [1_000, 2_000]) {
      expect(await app.claimOnce()).toEqual({ tasks: [], nextInMs: [0] });
      expect(await app.catalog.counts('default')).toMatchObject({ cancelled, waiting: 5_000 - cancelled });
    }
    await app.runner.start();
    await app.advance(0);
    expect(app.runs()).toBe(1);
    expect(await app.catalog.counts('default')).toMatchObject({ cancelled: 4_999, waiting: 0, pending: 0 });
  });

  it('puts away no more of them where it finds good ones in between', async () => {
    const app = await startExpired((index) => index % 500 === 0);
    const { tasks } = await app.claimOnce();
    expect(tasks.length).toBeGreaterThan(0);
    expect((await app.catalog.counts('default')).cancelled).toBeLessThanOrEqual(1_000);
    await app.runner.start();
    await app.advance(0);
    expect(app.runs()).toBe(10 - tasks.length);
  });
});
