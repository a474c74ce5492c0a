import { describe, expect, it } from '@jest/globals';
import { BoundedMemo } from '../../lib/task/bounded-memo.js';

describe('A bounded memo', () => {
  const made: string[] = [];
  const memo = new BoundedMemo(2, (key: string) => {
    if (key === 'bad') throw new Error('bad');
    made.push(key);
    return { key };
  });

  it('makes a value once, forgets the oldest beyond its limit and makes that again', () => {
    const first = memo.get('a');
    expect(memo.get('a')).toBe(first);
    memo.get('b');
    expect(memo.get('a')).toBe(first);
    memo.get('c');
    expect(memo.get('a')).toEqual({ key: 'a' });
    expect(made).toEqual(['a', 'b', 'c', 'a']);
  });

  it('remembers nothing of a value that could not be made', () => {
    for (let time = 0; time < 3; time++) expect(() => memo.get('bad')).toThrow('bad');
    made.length = 0;
    memo.get('a');
    memo.get('c');
    expect(made).toEqual([]);
  });
});
