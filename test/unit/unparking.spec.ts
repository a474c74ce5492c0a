import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { RunnerParts } from '../../lib/runner/runner-session.js';
import { Unparking } from '../../lib/runner/unparking.js';
import { CountingClock } from '../support/counting-clock.js';

function setup() {
  const clock = new CountingClock();
  const failures: ((error: Error) => void)[] = [];
  const unpark = () => new Promise<never>((_, reject) => failures.push(reject));
  const parts = {
    clock,
    registry: { provided: () => [] },
    log: { write: () => undefined },
    backend: { tasks: { unpark } },
  };
  const unparking = new Unparking(parts as unknown as RunnerParts, ['default']);
  return { clock, failures, unparking };
}

describe('Putting back what was parked', () => {
  it('is tried again after a pause while the store does not answer', async () => {
    const { clock, failures, unparking } = setup();
    unparking.begin();
    failures[0]!(new Error('away'));
    await turn();
    expect(clock.timers.size).toBe(1);
    await clock.advance(1_000);
    expect(failures).toHaveLength(2);
    unparking.end();
  });

  it('leaves no timer behind where the store fails after the runner has ended', async () => {
    const { clock, failures, unparking } = setup();
    unparking.begin();
    unparking.end();
    failures[0]!(new Error('away'));
    await turn();
    expect(clock.timers.size).toBe(0);
  });
});
