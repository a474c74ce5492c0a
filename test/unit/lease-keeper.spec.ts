import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Backend, ClaimedTask, Renewal } from '../../lib/backend/backend.js';
import { Attempt, type Scribe } from '../../lib/runner/attempt.js';
import { LeaseKeeper } from '../../lib/runner/lease-keeper.js';
import type { ClockTimer } from '../../lib/task/clock.js';
import type { Lease } from '../../lib/task/outcome.js';
import { CountingClock } from '../support/counting-clock.js';

const lease = { queue: 'default', id: 'one', epoch: 1 };
const leaseMs = 3_000;

const noScribe: Scribe = { now: () => 0, noted: () => undefined };

/** Timers of Node know whole milliseconds only, from one on, and so may fire a moment early. */
class NodeClock extends CountingClock {
  override after(delayMs: number, wake: () => void): ClockTimer {
    return super.after(Math.max(Math.trunc(delayMs), 1), wake);
  }
}

function setup() {
  const clock = new NodeClock();
  const reports: string[] = [];
  const asked: { readonly ids: string[]; readonly answer: (renewal: Renewal) => void }[] = [];
  const renew = (leases: readonly Lease[]) =>
    new Promise<Renewal>((answer) => asked.push({ ids: leases.map(({ id }) => id), answer }));
  const settings = { leaseMs, blockedLimitMs: 60_000 };
  const keeper = new LeaseKeeper({ tasks: { renew } } as unknown as Backend, clock, settings, (message) =>
    reports.push(message),
  );
  const watch = (of: Lease, leftMs = leaseMs) => {
    const attempt = new Attempt(of as ClaimedTask, clock.elapsed() + leftMs, noScribe);
    let reason: Error | undefined;
    attempt.abort = (error) => (reason ??= error);
    keeper.watch(attempt);
    return { attempt, reason: () => reason?.name };
  };
  return { clock, asked, keeper, watch, reports };
}

const none = { lost: [], cancelled: [] };
const silence = { ...none, unanswered: [lease] };

describe('A lease keeper', () => {
  it('renews after a third of the lease', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch(lease);
    await clock.advance(999);
    expect(asked).toHaveLength(0);
    await clock.advance(1);
    expect(asked).toHaveLength(1);
    await keeper.stop();
  });

  it('loses but the lease that is lost, though a store gives one epoch to all that it claims at once', async () => {
    const { clock, asked, keeper, watch } = setup();
    const [lost, kept] = [watch(lease), watch({ ...lease, id: 'two' })];
    await clock.advance(1_000);
    asked[0]!.answer({ ...none, lost: [lease] });
    await clock.advance(0);
    expect([lost.reason(), kept.reason()]).toEqual(['LeaseLostError', undefined]);
    await keeper.stop();
  });

  it('takes a task for done that is gone while its own transaction completes it, as long as its lease lasts', async () => {
    const { clock, asked, keeper, watch } = setup();
    const { attempt, reason } = watch(lease);
    const endsAt = clock.elapsed() + leaseMs;
    attempt.isInHand = true;
    const answerNext = async (at: number) => {
      while (asked.length <= at) await clock.advance(50);
      asked[at]!.answer({ ...none, lost: [lease] });
      await clock.advance(0);
    };
    for (let at = 0; clock.elapsed() + leaseMs / 3 < endsAt; at++) {
      await answerNext(at);
      expect(reason()).toBeUndefined();
    }
    // By then another may have it: the commit may have failed without a word.
    await answerNext(asked.length);
    expect(clock.elapsed()).toBeGreaterThanOrEqual(endsAt);
    expect(reason()).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('does not count on a lease that a transaction which has the task in hand kept from being renewed', async () => {
    const { clock, asked, keeper, watch } = setup();
    const { attempt, reason } = watch(lease);
    const endsAt = clock.elapsed() + leaseMs;
    attempt.isInHand = true;
    for (let at = 0; clock.elapsed() < endsAt; at++) {
      while (asked.length <= at) await clock.advance(50);
      asked[at]!.answer(silence);
      await clock.advance(0);
    }
    expect(reason()).toBeUndefined();
    const last = asked.length;
    while (asked.length <= last) await clock.advance(50);
    asked[last]!.answer({ ...none, lost: [lease] });
    await clock.advance(0);
    expect(reason()).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('asks no more for a task that its transaction has completed', async () => {
    const { clock, asked, keeper, watch } = setup();
    const { attempt, reason } = watch(lease);
    attempt.isCommitted = true;
    await clock.advance(1_000);
    asked[0]!.answer({ ...none, lost: [lease] });
    await clock.advance(2 * leaseMs);
    expect([asked.length, reason()]).toEqual([1, undefined]);
    await keeper.stop();
  });

  it('renews at once what was claimed with little of its lease left', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch({ ...lease, id: 'first' });
    const { reason } = watch(lease, 700);
    await clock.advance(1);
    expect(asked.map(({ ids }) => ids)).toEqual([['first', 'one']]);
    asked[0]!.answer(none);
    await clock.advance(900);
    expect(reason()).toBeUndefined();
    await keeper.stop();
  });

  it('aborts in time what was claimed so while a renewal gets no answer', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch({ ...lease, id: 'first' });
    await clock.advance(1_000);
    expect(asked).toHaveLength(1);
    const { reason } = watch(lease, 700);
    await clock.advance(398);
    expect(reason()).toBeUndefined();
    await clock.advance(4);
    expect(reason()).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('aborts in time what was claimed so after the loop was blocked, while a renewal gets no answer', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch({ ...lease, id: 'first' });
    await clock.advance(999);
    clock.block(900);
    await clock.advance(1);
    expect(asked).toHaveLength(1);
    const { reason } = watch(lease, 700);
    await clock.advance(398);
    expect(reason()).toBeUndefined();
    await clock.advance(4);
    expect(reason()).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('renews what was claimed so though more and more of it comes in', async () => {
    const { clock, asked, keeper, watch } = setup();
    for (let n = 0; n < 10; n++) {
      watch({ ...lease, id: `task ${n}` }, 700);
      await clock.advance(0.5);
    }
    expect(asked.length).toBeGreaterThan(0);
    await keeper.stop();
  });

  it('sets no timer for each of many that were claimed so at once', async () => {
    const { clock, asked, keeper, watch } = setup();
    for (let n = 0; n < 1_000; n++) watch({ ...lease, id: `task ${n}` }, 700);
    expect(clock.timersSet).toBeLessThan(5);
    await clock.advance(1);
    expect(asked.map(({ ids }) => ids.length)).toEqual([1_000]);
    await keeper.stop();
    expect(clock.timers.size).toBe(0);
  });

  it('soon renews what came in while another renewal was under way', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch({ ...lease, id: 'first' });
    await clock.advance(1_000);
    await clock.advance(500);
    watch(lease, 1_200);
    asked[0]!.answer(none);
    await clock.advance(leaseMs / 10);
    expect(asked.map(({ ids }) => ids)).toEqual([['first'], ['first', 'one']]);
    await keeper.stop();
  });
});

describe('What is left of a lease', () => {
  it('is too little to begin a run where its signal would abort at once', async () => {
    const { keeper, watch } = setup();
    expect(keeper.isEnding(watch(lease, leaseMs / 10 + 2).attempt)).toBe(false);
    expect(keeper.isEnding(watch(lease, leaseMs / 10).attempt)).toBe(true);
    await keeper.stop();
  });
});

describe('A lease keeper whose store is silent in part', () => {
  it('aborts the signal before the lease ends, however early its timer fires', async () => {
    const { clock, asked, keeper, watch } = setup();
    const { reason } = watch(lease, leaseMs + 0.7);
    await clock.advance(1_000);
    asked[0]!.answer(silence);
    await clock.advance(1_698);
    expect(reason()).toBeUndefined();
    await clock.advance(4);
    expect(reason()).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('still aborts it in time where an earlier renewal, long given up, is answered for others', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch({ ...lease, id: 'first', epoch: 2 });
    await clock.advance(1_000);
    // The first is given up, the second gets an answer for one of two tasks, the third none for long.
    await clock.advance(750);
    const { reason } = watch(lease);
    await clock.advance(leaseMs / 20);
    expect(asked).toHaveLength(2);
    asked[1]!.answer(silence);
    await clock.advance(2_300);
    asked[0]!.answer(none);
    await clock.advance(300);
    expect(clock.elapsed()).toBeLessThan(Date.UTC(2030, 0, 1) + 1_750 + leaseMs);
    expect(reason()).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('still aborts it in time where an earlier renewal, long given up, leaves it little', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch({ ...lease, id: 'first', epoch: 2 });
    await clock.advance(900);
    const { reason } = watch(lease);
    await clock.advance(100);
    await clock.advance(750 + leaseMs / 20);
    for (let n = 1; n < 11; n++) {
      asked[n]!.answer(silence);
      await clock.advance(leaseMs / 20);
    }
    expect(asked).toHaveLength(12);
    expect(reason()).toBeUndefined();
    // Sent at 1,000: the lease ends at 4,000, and the renewal that is under way is given up later than that.
    asked[0]!.answer(none);
    await clock.advance(4_000 - 300 - 3_400 - 2);
    expect(reason()).toBeUndefined();
    await clock.advance(4);
    expect(reason()).toBe('LeaseLostError');
    await keeper.stop();
  });

  it('is reported also where something claimed with little of its lease left is still to be renewed', async () => {
    const { clock, asked, keeper, watch, reports } = setup();
    watch({ ...lease, id: 'first', epoch: 2 });
    watch(lease, 700);
    await clock.advance(1);
    for (let n = 0; n < 2; n++) {
      asked[n]!.answer(silence);
      await clock.advance(leaseMs / 20);
    }
    expect(reports).toEqual(['the leases of 1 tasks cannot be renewed, trying again']);
    await keeper.stop();
  });

  it('aborts each in its own time while the next renewal gets no answer', async () => {
    const { clock, asked, keeper, watch } = setup();
    const other = { ...lease, id: 'other', epoch: 2 };
    const first = watch(lease, leaseMs - 700);
    const second = watch(other, leaseMs - 400);
    await clock.advance(1_000);
    asked[0]!.answer({ ...none, unanswered: [lease, other] });
    // The one after that is given up at 1,900.
    await clock.advance(950);
    asked[1]!.answer({ ...none, unanswered: [lease, other] });
    await clock.advance(40);
    expect([first.reason(), second.reason()]).toEqual([undefined, undefined]);
    await clock.advance(20);
    expect([first.reason(), second.reason()]).toEqual(['LeaseLostError', undefined]);
    await clock.advance(300);
    expect([first.reason(), second.reason()]).toEqual(['LeaseLostError', 'LeaseLostError']);
    await keeper.stop();
    expect(clock.timers.size).toBe(0);
  });

  it('sets no timer where that answer comes after its end', async () => {
    const { clock, asked, keeper, watch } = setup();
    watch(lease);
    await clock.advance(1_000);
    await keeper.stop();
    asked[0]!.answer(silence);
    await turn();
    expect(clock.timers.size).toBe(0);
  });
});
