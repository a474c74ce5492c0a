import { describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

describe('looking at a queue that nobody has used', () => {
  it('finds nothing, and does not make it one of the queues', async () => {
    @Job({ name: 'Usual', queue: 'used' })
    class Usual {
      run(): void {}
    }
    const app = await start({ providers: [Usual] });
    await app.jobs.enqueue(Usual, undefined, { in: '1h' });
    const { catalog } = app;
    const ref = { queue: 'unused', id: 'x' };
    expect(Object.values(await catalog.counts('unused'))).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(await catalog.tasks({ queue: 'unused' })).toEqual({ tasks: [], complete: true });
    expect(await catalog.task(ref)).toBeUndefined();
    expect(await catalog.isPaused('unused')).toBe(false);
    for (const act of ['retry', 'cancel', 'remove', 'runNow'] as const)
      expect(await catalog[act](ref)).toBe('missing');
    expect(await catalog.queueNames()).toEqual(['used']);
    expect(await app.store.catalog.queues()).toEqual(['used']);
  });

  it('is different from pausing it: a pause holds before there is a first task', async () => {
    let runs = 0;
    @Job({ name: 'Usual', queue: 'new' })
    class Usual {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Usual] });
    await app.catalog.pause('new');
    expect(await app.store.catalog.queues()).toEqual([]);
    await app.jobs.enqueue(Usual);
    await app.advance(60_000);
    expect([runs, await app.catalog.isPaused('new')]).toEqual([0, true]);
    await app.catalog.resume('new');
    await app.advance(0);
    expect(runs).toBe(1);
  });
});
