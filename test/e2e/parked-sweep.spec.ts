import { describe, expect, it } from '@jest/globals';
import { Job, type Backend, type Task } from 'nestjs-jobs';
import { gate, type Gate } from './fixtures/gate.js';
import { start, type Started } from './fixtures/start.js';
import { sweeping } from './fixtures/sweeping.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;
const minute = 60 * second;

@Job({ name: 'Known' })
class Known {
  run(): void {}
}

/** What an application without the job may enqueue all the same. */
@Job({ name: 'New' })
class New {
  run(): void {}
}

/** A runner that does not know the job `New`, and a process that enqueues it. */
async function startOld(runner: { autoStart?: boolean } = {}) {
  const old = await start({ providers: [Known], options: { runner } });
  const web = await start({ providers: [New], beside: old, options: { runner: false } });
  const enqueue = async (count: number) => {
    const ids = Array.from({ length: count }, (_, index) => `new ${index}`);
    for (const id of ids) await web.jobs.enqueue(New, undefined, { id });
    return ids;
  };
  return { old, enqueue };
}

/** A job of the name `New` that notes its runs, each of which takes `takesMs`. */
function newJob({ clock }: Started, takesMs = 0) {
  const ran: string[] = [];
  @Job({ name: 'New' })
  class Noting {
    async run(_: void, { id }: Task): Promise<void> {
      if (takesMs > 0) await new Promise<void>((resolve) => clock.after(takesMs, resolve));
      ran.push(id);
    }
  }
  return { ran, Noting };
}

describe('a queue with parked tasks of an unknown job', () => {
  it.each([
    ['without an end', undefined],
    ['for two hours', '2h'],
  ] as const)('that is paused %s is not asked in a loop, and gives them up afterwards', async (_, pause) => {
    const { old, enqueue } = await startOld();
    const ids = await enqueue(5);
    await old.advance(0);
    await old.runner.stop();
    expect(await old.catalog.counts('default')).toMatchObject({ parked: 5 });
    await old.catalog.pause('default', { for: pause });
    const { ran, Noting } = newJob(old);
    const troubled = new TroubledStore();
    const knowing = await start({ providers: [Noting], beside: old, before: troubled.before });
    await old.advance(0);
    const before = troubled.calls.claim;
    await old.advance(60 * minute);
    expect(troubled.calls.claim - before).toBeLessThan(3);
    expect(before).toBeLessThan(5);
    expect(ran).toEqual([]);
    if (pause) await old.advance(60 * minute);
    else await knowing.catalog.resume('default');
    await old.advance(0);
    expect(ran.toSorted()).toEqual(ids);
  });

  it('is not asked in a loop by the runner that parked them', async () => {
    const troubled = new TroubledStore();
    const { old, enqueue } = await startOld({ autoStart: false });
    await start({ providers: [Known], beside: old, before: troubled.before });
    await enqueue(5);
    await old.advance(0);
    expect(await old.catalog.counts('default')).toMatchObject({ parked: 5 });
    const before = troubled.calls.claim;
    await old.advance(60 * minute);
    expect(troubled.calls.claim - before).toBeLessThan(3);
  });
});

describe('parked tasks of an unknown job', () => {
  it.each([
    ['whose bell is reliable', (store: Backend) => store],
    ['that has to be swept', sweeping],
  ])('are all taken up one right after the other at concurrency 1, on a store %s', async (_, before) => {
    const { old, enqueue } = await startOld();
    const ids = await enqueue(7);
    await old.advance(0);
    await old.runner.stop();
    const { ran, Noting } = newJob(old, 6 * second);
    const options = { runner: { concurrency: 1 } };
    await start({ providers: [Noting], beside: old, before, options });
    await old.advance(7 * 6 * second);
    expect(ran).toEqual(ids);
  });

  it('get their turn from a runner that is never idle', async () => {
    const { old, enqueue } = await startOld({ autoStart: false });
    const { ran, Noting } = newJob(old);
    const ends: Gate[] = [];
    @Job({ name: 'Known' })
    class Long {
      run(): Promise<void> {
        ends.push(gate());
        return ends.at(-1)!.opened;
      }
    }
    const options = { runner: { concurrency: 1 } };
    const busy = await start({ providers: [Long, Noting], beside: old, before: sweeping, options });
    await busy.jobs.enqueue(Long);
    await old.advance(0);
    // Parked when the busy runner has had its first sweep, at its start, and has no slot for another.
    await enqueue(1);
    await old.runner.start();
    await old.advance(0);
    await old.runner.stop();
    expect(await old.catalog.counts('default')).toMatchObject({ parked: 1 });
    for (let count = 0; count < 10; count++) await busy.jobs.enqueue(Long);
    for (let rounds = 0; rounds < 5; rounds++) {
      await old.advance(6 * second);
      // An exchange at a moment when every slot is taken; the slot comes free right after it.
      old.store.bell.ring('default');
      await old.advance(0);
      ends.at(-1)!.open();
      await old.advance(0);
    }
    expect(ran).toHaveLength(1);
    expect(ends.length).toBeLessThan(10);
    await busy.catalog.pause('default');
    ends.at(-1)!.open();
    await old.advance(0);
  });

  it('are run by the runner that knows the job, while one that does not keeps taking them', async () => {
    const { old, enqueue } = await startOld();
    const { ran, Noting } = newJob(old);
    const knowing = await start({ providers: [Noting], beside: old });
    await old.advance(0);
    const ids = await enqueue(25);
    await old.advance(0);
    expect(ran.toSorted()).toEqual(ids.toSorted());
    // Else this has shown nothing. Nest has one logger for all, that of the latest application.
    expect(knowing.lines.filter(({ message }) => message.includes('unknown-job'))).not.toEqual([]);
  });
});
