import { describe, expect, test } from '@jest/globals';
import { memoryMeasures } from '../bench/memory/memory-store.js';
import { ours } from '../bench/side-by-side/system.js';
import { faultsOf, tiny } from '../support/bench-here.js';

describe('The benchmark in memory', () => {
  test.each(Object.keys(memoryMeasures))('measures %s', async (name) => {
    const figures = await memoryMeasures[name]!({ settings: tiny([ours]), say: () => undefined });
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.flatMap(faultsOf)).toEqual([]);
    for (const { values } of figures) expect(Object.keys(values)).toEqual([ours]);
  });
});
