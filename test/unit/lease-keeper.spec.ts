import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Backend, ClaimedTask, Renewal } from '../../lib/backend/backend.js';
import { Attempt } from '../../lib/runner/attempt.js';
import { LeaseKeeper } from '../../lib/runner/lease-keeper.js';
import { CountingClock } from '../support/counting-clock.js';

const lease = { queue: 'default', id: 'one', epoch: 1 };

/** A keeper that has asked the store, which has yet to answer. */
async function renewing() {
  const clock = new CountingClock();
  const answers: ((renewal: Renewal) => void)[] = [];
  const renew = () => new Promise<Renewal>((resolve) => answers.push(resolve));
  const settings = { leaseMs: 3_000, blockedLimitMs: 60_000 };
  const keeper = new LeaseKeeper(
    { tasks: { renew } } as unknown as Backend,
    clock,
    settings,
    () => undefined,
  );
  const attempt = new Attempt(lease as ClaimedTask, clock.elapsed() + 3_000);
  keeper.watch(attempt);
  await clock.advance(1_000);
  expect(answers).toHaveLength(1);
  const silence = () => answers[0]!({ lost: [], cancelled: [], unanswered: [lease] });
  return { clock, keeper, silence, attempt };
}

describe('A lease keeper whose store is silent in part', () => {
  it('aborts the signal before the lease ends', async () => {
    const { clock, silence, attempt, keeper } = await renewing();
    let reason: Error | undefined;
    attempt.abort = (error) => (reason ??= error);
    silence();
    await clock.advance(1_600);
    expect(reason).toBeUndefined();
    await clock.advance(200);
    expect(reason?.name).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('sets no timer where that answer comes after its end', async () => {
    const { clock, silence, keeper } = await renewing();
    await keeper.stop();
    silence();
    await turn();
    expect(clock.timers.size).toBe(0);
  });
});
