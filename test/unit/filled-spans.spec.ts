import { describe, expect, it } from '@jest/globals';
import { filledSpans, meansOf, noRuns, sumOfRuns } from '../../lib/catalog/filled-spans.js';

const minute = 60_000;
const runs = (at: number, succeeded: number) => ({ ...noRuns, at, succeeded });

describe('Spans', () => {
  it('are all there, the present one last, with zeros where nothing happened', () => {
    const spans = filledSpans([runs(3 * minute, 7), runs(5 * minute, 1)], 5.5 * minute, minute, 4);
    expect(spans.map(({ at, succeeded }) => [at.getTime() / minute, succeeded])).toEqual([
      [2, 0],
      [3, 7],
      [4, 0],
      [5, 1],
    ]);
    expect(spans[0]).toEqual({ ...noRuns, at: new Date(2 * minute) });
  });

  it('leave out what is older than asked for', () => {
    expect(
      filledSpans([runs(1 * minute, 9)], 10 * minute, minute, 3).every((span) => span.succeeded === 0),
    ).toBe(true);
  });

  it('include one that began after the time was asked for', () => {
    const spans = filledSpans([runs(6 * minute, 2)], 6 * minute - 1, minute, 2);
    expect(spans.map(({ succeeded }) => succeeded)).toEqual([0, 2]);
  });

  it('are summed, and give means per run', () => {
    const sum = sumOfRuns([
      { ...noRuns, succeeded: 3, runMs: 300, waitMs: 40 },
      { ...noRuns, failed: 1, lost: 2, runMs: 100 },
    ]);
    expect(sum).toEqual({ ...noRuns, succeeded: 3, failed: 1, lost: 2, runMs: 400, waitMs: 40 });
    expect(meansOf(sum)).toEqual({ meanRunMs: 100, meanWaitMs: 10 });
    expect(meansOf(noRuns)).toEqual({});
  });
});
