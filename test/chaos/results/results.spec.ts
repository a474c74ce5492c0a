import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { figuresOf } from '../figures.js';
import { blockOf, ResultFiles, withBlock } from './files.js';
import { merge, resultOf } from './result.js';
import { tablesOf } from './tables.js';

const origin = { date: '2026-01-02', commit: 'abc1234', version: '1.2.3' };
const played = (fault: string, seed: number, recoveries: number[], broken = 0) =>
  resultOf(
    'middle',
    [
      {
        ...{ fault, backend: 'redis', seed, version: 'Redis 7' },
        results: [
          {
            ...figuresOf([]),
            ...{ seed, recoveries, tasks: 70 },
            broken: Array.from({ length: broken }, () => ({ invariant: 'any', what: 'broken', line: 1 })),
          },
        ],
      },
    ],
    origin,
  );

describe('What is kept of fault rounds', () => {
  it('is what the README says', () => {
    expect(blockOf(readFileSync('README.md', 'utf8'))).toBe(new ResultFiles().block());
  });

  it('has the latest of each fault, in the order of the plan', () => {
    const order = ['a', 'b', 'c'].map((fault) => ({ fault, backend: 'redis' }));
    const older = merge(played('b', 1, []), played('c', 2, []), order);
    const { rows } = merge(merge(older, played('a', 3, []), order), played('b', 4, []), order);
    expect(rows.map(({ fault, seed }) => [fault, seed])).toEqual([
      ['a', 3],
      ['b', 4],
      ['c', 2],
    ]);
  });

  it('says how many runs there were, how many failed, and of how many recoveries it tells', () => {
    const text = tablesOf(played('kill', 5, [30, 10, 20]));
    expect(text).toContain('Zero failures in 1 runs, middle form.');
    expect(text).toMatch(/\| kill +\| redis +\| 1 .*\| 70 .*\| 3 +\| 20 \/ 30 \/ 30 .*\| 5 +\|/);
    expect(text).toContain('nestjs-jobs 1.2.3 (abc1234), played on 2026-01-02');
    expect(tablesOf(played('kill', 5, [], 2))).toContain('1 failures in 1 runs');
  });

  it('stands between the marks of the README, and nowhere else', () => {
    const readme = 'before <!-- chaos -->old<!-- /chaos --> after';
    expect(withBlock(readme, 'new')).toBe('before <!-- chaos -->\n\nnew\n\n<!-- /chaos --> after');
    expect(() => blockOf('nothing')).toThrow('the README has no <!-- chaos -->');
  });
});
