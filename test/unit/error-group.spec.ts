import { describe, expect, it, test } from '@jest/globals';
import { errorGroup } from '../../lib/catalog/error-group.js';

describe('The group of an error', () => {
  test.each([
    ['user 42 not found', 'user # not found'],
    ['timeout after 1500ms', 'timeout after #ms'],
    ['took 1.5 s, allowed 1,000 at 12:30:01', 'took # s, allowed # at #'],
    ['no order 6f1c2f9e-8a7b-4c3d-9e1f-0a1b2c3d4e5f', 'no order #'],
    ['task 0Vb3kP9qLmZx72HdTq1Aa8 failed', 'task # failed'],
    ['commit deadbeef12 is gone', 'commit # is gone'],
    ['at 0x7ffe12', 'at #'],
    ['connect ECONNREFUSED 10.0.0.1:5432', 'connect ECONNREFUSED #'],
    [
      "Cannot read properties of undefined (reading 'name')",
      "Cannot read properties of undefined (reading 'name')",
    ],
    ['utf8 and base64 are words, and so is feedback', 'utf8 and base64 are words, and so is feedback'],
    ['first line\nsecond line 3', 'first line'],
  ])('takes %j for %j', (message, folded) => {
    expect(errorGroup('Error', message)).toBe(`Error: ${folded}`);
  });

  it('tells errors of different names or texts apart', () => {
    expect(errorGroup('TypeError', 'x')).not.toBe(errorGroup('RangeError', 'x'));
    expect(errorGroup('Error', 'no user 1')).not.toBe(errorGroup('Error', 'no order 1'));
  });

  it('is short, and quick with any text', () => {
    const began = performance.now();
    for (const text of ['1'.repeat(4_000), 'a1-'.repeat(1_300), `${'f'.repeat(3_999)}!`])
      expect(errorGroup('Error', text).length).toBeLessThanOrEqual(300);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
