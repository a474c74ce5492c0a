import { describe, expect, it } from '@jest/globals';
import { checkHistory } from '../history/check-history.js';
import { toLines } from '../history/history-event.js';
import { simulate } from './simulate.js';

const from = Number(process.env.SIM_FROM ?? 1);
const seeds = Number(process.env.SIM_SEEDS ?? 500);

describe('A simulated world', () => {
  it('has one history for one seed', async () => {
    for (const seed of [from, from + 1, from + 2]) {
      const first = toLines(await simulate(seed));
      expect(toLines(await simulate(seed))).toBe(first);
      expect(toLines(await simulate(seed + 1))).not.toBe(first);
    }
  });

  it(`keeps every invariant, in ${seeds} seeds from ${from}`, async () => {
    const broken: string[] = [];
    const seen = new Map<string, number>();
    for (let seed = from; seed < from + seeds; seed++) {
      const history = await simulate(seed);
      for (const { type } of history) seen.set(type, (seen.get(type) ?? 0) + 1);
      for (const { invariant, what } of checkHistory(history))
        broken.push(`npm run simulate -- --seed=${seed}: ${invariant}: ${what}`);
    }
    expect(broken).toEqual([]);
    // Where nothing goes wrong, nothing is shown.
    for (const type of ['died', 'lease-ended', 'taken-back', 'refused', 'stopping', 'rest'])
      expect({ type, perSeed: (seen.get(type) ?? 0) / seeds >= 1 }).toEqual({ type, perSeed: true });
  }, 600_000);
});
