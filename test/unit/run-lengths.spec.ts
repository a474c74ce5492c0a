import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RunLengths } from '../../lib/backend/postgres/run-lengths.js';

let now = 0;
beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void jest.restoreAllMocks());

const run = (epoch: number, queue = 'q') => ({ queue, id: 'a', epoch });

function ran(lengths: RunLengths, epoch: number, ms: number): void {
  lengths.claimed(epoch);
  now += ms;
  lengths.done([run(epoch)]);
}

describe('Runs of a process', () => {
  it('are not short before one has ended', () => {
    const lengths = new RunLengths();
    expect(lengths.areShort('q')).toBe(false);
    lengths.claimed(1);
    expect(lengths.areShort('q')).toBe(false);
  });

  it('are short where they took less than 20 ms on average lately', () => {
    const lengths = new RunLengths();
    ran(lengths, 1, 19);
    expect(lengths.areShort('q')).toBe(true);
    ran(lengths, 2, 60);
    expect(lengths.areShort('q')).toBe(false);
    for (let epoch = 3; epoch < 20; epoch++) ran(lengths, epoch, 2);
    expect(lengths.areShort('q')).toBe(true);
  });

  it('are short in one queue, and not in another', () => {
    const lengths = new RunLengths();
    lengths.claimed(1);
    now += 5;
    lengths.claimed(2);
    now += 10;
    lengths.done([run(2), run(1, 'other'), run(2)]);
    expect(lengths.areShort('q')).toBe(true);
    now += 200;
    lengths.done([run(1, 'other'), run(2, 'other')]);
    expect([lengths.areShort('q'), lengths.areShort('other')]).toEqual([true, false]);
  });

  it('count for a second at most, also those that began too long ago to be remembered', () => {
    const lengths = new RunLengths();
    ran(lengths, 1, 3_600_000);
    for (let epoch = 2; epoch < 35; epoch++) ran(lengths, epoch, 1);
    expect(lengths.areShort('q')).toBe(true);
    lengths.claimed(100);
    for (let epoch = 101; epoch < 1_200; epoch++) lengths.claimed(epoch);
    lengths.done([run(100)]);
    expect(lengths.areShort('q')).toBe(false);
  });
});
