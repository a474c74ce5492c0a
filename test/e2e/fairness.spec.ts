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

describe('a claim', () => {
  it('that meets thousands of expired tasks puts away a thousand; the others follow, and then comes the rest', async () => {
    const ran: string[] = [];
    @Job({ name: 'Passing' })
    class Passing {
      run(params: string): void {
        ran.push(params);
      }
    }
    const app = await start({ providers: [Passing], options: { runner: { autoStart: false } } });
    await app.jobs.bulk((bulk) => {
      for (let count = 0; count < 5_000; count++) bulk.enqueue(Passing, 'late', { expires: '1s' });
      bulk.enqueue(Passing, 'last');
    });
    await app.advance(2 * second);
    const claimOnce = () =>
      app.store.tasks.claim({
        queues: [{ queue: 'default', limit: 10 }],
        limit: 10,
        leaseMs: 20 * second,
        runner: 'another',
      });
    for (const cancelled of [1_000, 2_000]) {
      expect(await claimOnce()).toEqual({ tasks: [], nextInMs: [0] });
      expect(await app.catalog.counts('default')).toMatchObject({ cancelled, waiting: 5_001 - cancelled });
    }
    await app.runner.start();
    await app.advance(0);
    expect(ran).toEqual(['last']);
    expect(await app.catalog.counts('default')).toMatchObject({ cancelled: 5_000, waiting: 0, pending: 0 });
  });
});
