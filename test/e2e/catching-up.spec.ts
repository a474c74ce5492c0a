import { createHook } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import { gate, type Gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;

/** How many turns of the event loop others wait for after `act`, while the test waits for 200. */
async function turnsOfOthers(act: () => void): Promise<number> {
  let all = 0;
  // Whoever waits may have had the function before a test could put another in its place.
  const hook = createHook({ init: (_id, type) => void (type === 'Immediate' && all++) }).enable();
  act();
  const ours = 200;
  for (let waits = 0; waits < ours; waits++) await turn();
  hook.disable();
  return all - ours;
}

describe('a runner whose event loop was blocked for most of a lease', () => {
  it('waits for the renewal of its leases, and does not ask in a loop whether it is there', async () => {
    const ends: Gate[] = [];
    @Job({ name: 'Long', keep: '1h' })
    class Long {
      run(): Promise<void> {
        ends.push(gate());
        return ends.at(-1)!.opened;
      }
    }
    const troubled = new TroubledStore();
    const app = await start({
      providers: [Long],
      before: troubled.before,
      options: { runner: { lease: '20s' } },
    });
    for (const id of ['a', 'b']) await app.jobs.enqueue(Long, undefined, { id });
    await app.advance(0);
    expect(ends).toHaveLength(2);

    const answer = gate();
    troubled.trouble.renew = async (go) => {
      await answer.opened;
      return go();
    };
    (app.clock as VirtualClock).block(15 * second);
    ends[0]!.open();
    await settled();
    expect([troubled.calls.renew, troubled.calls.settle]).toEqual([1, 0]);
    // A bell wakes the runner, which has an outcome to bring and a queue to look at.
    const turns = await turnsOfOthers(() => app.store.bell.ring('default'));
    expect(turns).toBeGreaterThan(0);
    expect(turns).toBeLessThan(10);
    expect([troubled.calls.renew, troubled.calls.settle]).toEqual([1, 0]);

    answer.open();
    await app.advance(0);
    const state = async (id: string) => (await app.store.catalog.get({ queue: 'default', id }))?.state;
    expect([await state('a'), await state('b')]).toEqual(['succeeded', 'pending']);
    ends[1]!.open();
    await settled();
    expect(await state('b')).toBe('succeeded');
  });
});
