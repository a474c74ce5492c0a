import { describe, expect, it } from '@jest/globals';
import { Turns } from '../../lib/backend/postgres/turns.js';

describe('Turns', () => {
  it('go on in the order in which they were asked for, past those who have left', async () => {
    const turns = new Turns(1);
    const order: string[] = [];
    let end!: () => void;
    const first = turns.take(() => new Promise<void>((resolve) => (end = resolve)));
    const leaving = new AbortController();
    const left = turns.take(async () => order.push('left'), leaving.signal);
    const others = ['second', 'third'].map((name) => turns.take(async () => order.push(name)));
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    end();
    await Promise.all([first, ...others]);
    expect(order).toEqual(['second', 'third']);
    await expect(turns.take(async () => 'free again')).resolves.toBe('free again');
  });

  it('are not given to whoever comes too late', async () => {
    const turns = new Turns(1);
    await expect(turns.take(async () => 'begun', AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    );
    await expect(turns.take(async () => 'free')).resolves.toBe('free');
  });
});
