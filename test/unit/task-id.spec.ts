import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TaskIds } from '../../lib/task/task-id.js';

const now = Date.UTC(2030, 0, 1);

describe('A task id', () => {
  it('is 22 characters that need no escaping in a key, an address or a file name', () => {
    const ids = new TaskIds();
    for (let n = 0; n < 5_000; n++) expect(ids.next(now)).toMatch(/^[\w~]{22}$/);
  });

  it('is never given twice: a million of one millisecond differ', () => {
    const ids = new TaskIds();
    const seen = new Set<string>();
    for (let n = 0; n < 1_000_000; n++) seen.add(ids.next(now));
    expect(seen.size).toBe(1_000_000);
  });

  it('is not given by another process of the same millisecond either', () => {
    const seen = new Set<string>();
    for (let process = 0; process < 100; process++) {
      const ids = new TaskIds();
      for (let n = 0; n < 1_000; n++) seen.add(ids.next(now));
    }
    expect(seen.size).toBe(100_000);
  });

  it('sorts by the time it was made, compared as bytes', () => {
    const ids = new TaskIds();
    const moment = fc.integer({ min: 0, max: 2 ** 42 - 1 });
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [first, second] = [ids.next(a), ids.next(b)].map((id) => Buffer.from(id));
        if (a !== b) expect(Buffer.compare(first!, second!)).toBe(a < b ? -1 : 1);
        else expect(first!.subarray(0, 7)).toEqual(second!.subarray(0, 7));
      }),
    );
  });

  it('tells neighbouring milliseconds apart where a digit carries', () => {
    const ids = new TaskIds();
    for (let digit = 1; digit < 7; digit++) {
      const carry = 64 ** digit;
      expect(ids.next(carry - 1) < ids.next(carry)).toBe(true);
      expect(ids.next(now - (now % carry) + carry - 1) < ids.next(now - (now % carry) + carry)).toBe(true);
    }
  });

  it('uses all characters at all random places alike', () => {
    const ids = new TaskIds();
    const seen = Array.from({ length: 22 }, () => new Set<string>());
    for (let n = 0; n < 5_000; n++)
      Array.from(ids.next(now)).forEach((character, at) => seen[at]!.add(character));
    expect(seen.map(({ size }) => size)).toEqual([...Array(7).fill(1), ...Array(15).fill(64)]);
  });
});
