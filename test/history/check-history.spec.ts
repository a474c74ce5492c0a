import { describe, expect, it } from '@jest/globals';
import type { CasesOf } from './cases.js';
import { checkHistory, type InvariantName } from './check-history.js';
import { fromLines, toLines } from './history-event.js';
import { leaseCases } from './lease-cases.js';
import { lockCases } from './lock-cases.js';
import { processCases } from './process-cases.js';
import { runCases } from './run-cases.js';
import { taskCases } from './task-cases.js';
import { claimed, failed, moved, run, stored, succeeded, t, told, up, type Told } from './told.js';

const cases: CasesOf<InvariantName> = {
  ...taskCases,
  ...runCases,
  ...leaseCases,
  ...lockCases,
  ...processCases,
};

/** An enqueue, a failure, a lost lease and a success; then all is over. */
const whole: Told[] = [
  up,
  { type: 'enqueue', process: 'p', ...t },
  stored,
  { type: 'acknowledged', ...t, status: 'enqueued' },
  claimed(1, 1),
  run('started', 1, 1),
  run('effect', 1, 1),
  { type: 'renewed', ...t, process: 'p', epoch: 1 },
  run('ended', 1, 1),
  failed(1, 'scheduled'),
  moved('waiting'),
  claimed(2, 2),
  run('started', 2, 2),
  run('ended', 2, 2),
  succeeded(2),
  { type: 'healed' },
  { type: 'rest' },
  { type: 'stopping', process: 'p', limitMs: 100 },
  { type: 'down', process: 'p', timers: 0, calls: 0 },
];

function brokenBy(...events: Told[]): string[] {
  return [...new Set(checkHistory(told(...events)).map(({ invariant }) => invariant))];
}

describe('The checker of histories', () => {
  it('finds nothing in a history in which all is well', () => {
    expect(checkHistory(told(...whole))).toEqual([]);
  });

  it('judges what was written down and read again', () => {
    const history = told(...whole, claimed(3, 1));
    expect(fromLines(toLines(history))).toEqual(history);
    expect(checkHistory(fromLines(toLines(history)))).toEqual(checkHistory(history));
  });

  it('says at which line it shows', () => {
    const [violation] = checkHistory(told(up, stored, moved('dead')));
    expect(violation).toEqual({
      invariant: 'every task is in exactly one state',
      what: 'task t went from waiting to dead',
      line: 3,
    });
  });

  for (const [invariant, { kept, broken }] of Object.entries(cases))
    describe(`that ${invariant}`, () => {
      for (const [what, history] of Object.entries(kept))
        it(`is content with ${what}`, () => expect(brokenBy(...history)).toEqual([]));
      for (const [what, history] of Object.entries(broken))
        it(`does not let pass ${what}`, () => expect(brokenBy(...history)).toEqual([invariant]));
    });
});
