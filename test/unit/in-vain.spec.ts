import { describe, expect, it } from '@jest/globals';
import { TestJobsError } from '../../lib/testing/errors.js';
import { orInVain } from '../../lib/testing/in-vain.js';

const never = new Promise<never>(() => undefined);

describe('Who waits in vain', () => {
  it('is told so, but not before a second has passed', async () => {
    const begunAt = performance.now();
    const waiting = orInVain(never, { isBusy: false }, 0, 'nothing runs');
    await expect(waiting).rejects.toThrow(TestJobsError);
    expect(performance.now() - begunAt).toBeGreaterThan(900);
  });

  it('is not told so for time in which the event loop was busy', async () => {
    let give!: (value: number) => void;
    const result = new Promise<number>((resolve) => (give = resolve));
    const waiting = orInVain(result, { isBusy: false }, 0, 'nothing runs');
    for (const begunAt = performance.now(); performance.now() - begunAt < 1_500;);
    setTimeout(() => give(7), 50);
    expect(await waiting).toBe(7);
  });

  it('is not told so while somebody lets something run', async () => {
    const passage = { isBusy: true };
    const begunAt = performance.now();
    const waiting = orInVain(never, passage, 1_000, 'nothing runs');
    setTimeout(() => (passage.isBusy = false), 500);
    await expect(waiting).rejects.toThrow('nothing runs');
    expect(performance.now() - begunAt).toBeGreaterThan(1_400);
  });
});
