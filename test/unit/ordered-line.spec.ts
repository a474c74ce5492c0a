import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OrderedLine } from '../../lib/backend/memory/ordered-line.js';

interface Member {
  readonly at: number;
  readonly arrival: number;
}

const order = (a: Member, b: Member) => a.at - b.at || a.arrival - b.arrival;
const newLine = () => new OrderedLine<Member, Member>((a, b) => order(a, b) < 0);

/** Members in no order of their times, many of which are equal. */
function members(count: number, times: number): Member[] {
  return Array.from({ length: count }, (_, arrival) => ({ at: (arrival * 7_919) % times, arrival }));
}

describe('an ordered line', () => {
  it('is empty at first, and again when all have gone', () => {
    const line = newLine();
    const [only] = members(1, 1);
    for (let times = 0; times < 2; times++) {
      expect([line.size, line.peek(), line.read(9), line.read(9, { backwards: true })]).toEqual([
        ...[0, undefined, [], []],
      ]);
      expect(line.read(9, { after: only })).toEqual([]);
      line.add(only!);
      expect([line.size, line.peek()]).toEqual([1, only]);
      line.remove(only!);
    }
  });

  it('has its members in order, however they came, and whoever was taken out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.nat(), fc.boolean()), {
          maxLength: 2_000,
          size: 'max',
        }),
        (steps) => {
          const line = newLine();
          let expected: Member[] = [];
          for (const [index, [at, pick, isAdded]] of steps.entries()) {
            const gone = expected[pick % expected.length];
            if (isAdded || pick % 3 || !gone) {
              const member = { at, arrival: index };
              line.add(member);
              expected.push(member);
            } else {
              line.remove(gone);
              expected = expected.filter((other) => other !== gone);
            }
          }
          expected.sort(order);
          expect(line.size).toBe(expected.length);
          expect(line.peek()).toBe(expected[0]);
          expect(line.read(Infinity)).toEqual(expected);
          expect(line.read(Infinity, { backwards: true })).toEqual(expected.toReversed());
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is read from any place on, of a member or between two, in both directions', () => {
    const line = newLine();
    const all = members(1_000, 100);
    for (const member of all) line.add(member);
    all.sort(order);
    for (const at of [-1, 0, 49, 99, 100])
      for (const arrival of [-1, 0, 499.5, 500, Infinity]) {
        const after = { at, arrival };
        const behind = all.filter((member) => order(member, after) > 0);
        const before = all.filter((member) => order(member, after) < 0).toReversed();
        for (const limit of [1, 7, 300, Infinity]) {
          expect(line.read(limit, { after })).toEqual(behind.slice(0, limit));
          expect(line.read(limit, { after, backwards: true })).toEqual(before.slice(0, limit));
        }
      }
  });

  it('finds a place, and takes members in and out, in as many looks for many as for few', () => {
    let looks = 0;
    const line = new OrderedLine<Member, Member>((a, b) => {
      looks++;
      return order(a, b) < 0;
    });
    const all = members(100_000, 100_000);
    for (const member of all) line.add(member);
    expect(looks / all.length).toBeLessThan(25);
    const during = (act: () => unknown) => {
      looks = 0;
      act();
      return looks;
    };
    const after = { at: 54_321, arrival: 0 };
    expect(during(() => line.read(100, { after }))).toBeLessThan(40);
    expect(during(() => line.read(100, { after, backwards: true }))).toBeLessThan(40);
    expect(during(() => line.remove(all[77_777]!))).toBeLessThan(40);
    expect(during(() => line.add({ at: 5.5, arrival: 0 }))).toBeLessThan(40);
  });
});
