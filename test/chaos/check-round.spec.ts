import { describe, expect, it } from '@jest/globals';
import { claimed, run, succeeded, t, told, type Told } from '../history/told.js';
import { checkRound, type OwnInvariant } from './check-round.js';
import { figuresOf } from './figures.js';
import { endCases, runCases, type RoundCases } from './round-cases.js';

const cases: RoundCases<OwnInvariant> = { ...runCases, ...endCases };

function brokenBy(...events: Told[]): string[] {
  return [...new Set(checkRound(told(...events)).map(({ invariant }) => invariant))];
}

const asked: Told = { type: 'enqueue', process: 'p', ...t };
const acknowledged: Told = { type: 'acknowledged', ...t, status: 'enqueued' };
const healed: Told = { type: 'healed' };
const rest: Told = { type: 'rest' };

describe('The checker of rounds', () => {
  it('finds nothing in a round in which all is well', () => {
    const listed: Told = { type: 'listed', ...t, state: 'succeeded', attempt: 1 };
    const ran = [claimed(1, 1), run('started', 1, 1), run('effect', 1, 1), run('ended', 1, 1), succeeded(1)];
    expect(brokenBy(asked, acknowledged, ...ran, healed, rest, listed)).toEqual([]);
  });

  it('asks what is asked of the simulation, too', () => {
    expect(brokenBy(asked, acknowledged)).toEqual(['no acknowledged enqueue is lost']);
    expect(brokenBy(healed)).toEqual(['after healing all comes to rest']);
  });

  it('counts what a store has lost that may, and lets it pass; not what it took before', () => {
    const forgot: Told = { type: 'forgot', sinceAt: 15 };
    expect(brokenBy(asked, acknowledged, forgot)).toEqual([]);
    expect(figuresOf(told(asked, acknowledged, forgot))).toMatchObject({ acknowledged: 1, lost: 1 });
    expect(brokenBy(asked, acknowledged, { ...forgot, sinceAt: 25 })).toEqual([
      'no acknowledged enqueue is lost',
    ]);
  });

  for (const [invariant, { kept, broken }] of Object.entries(cases))
    describe(`that ${invariant}`, () => {
      for (const [what, history] of Object.entries(kept))
        it(`is content with ${what}`, () => expect(brokenBy(...history)).toEqual([]));
      for (const [what, history] of Object.entries(broken))
        it(`does not let pass ${what}`, () => expect(brokenBy(...history)).toEqual([invariant]));
    });
});
