import { describe, expect, it } from '@jest/globals';
import { Job, type Clock, type Task } from 'nestjs-jobs';
import { gate } from './fixtures/gate.js';
import { start, type Started } from './fixtures/start.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const concurrency = 64;
const caps = { a: 1, b: 1, c: 2, d: 2, wide: concurrency };
type Queue = keyof typeof caps;

/** A job in each queue, and the most runs of each that were ever under way at once. */
function cappedJobs(clockOf: () => Clock) {
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  let ran = 0;
  const change = (queue: string, by: number) => {
    const count = (running.get(queue) ?? 0) + by;
    running.set(queue, count);
    most.set(queue, Math.max(most.get(queue) ?? 0, count));
  };
  const names = Object.keys(caps) as Queue[];
  const jobs = names.map((queue) => {
    @Job({ name: queue, queue })
    class Capped {
      async run(takesMs: number): Promise<void> {
        change(queue, 1);
        await new Promise<void>((resolve) => clockOf().after(takesMs, resolve));
        change(queue, -1);
        ran++;
      }
    }
    return Capped;
  });
  return { jobs, most, ran: () => ran };
}

/** A store whose answers come later, as over a network; those to outcomes and those to claims each in their own time. */
function slow(troubled: TroubledStore, clockOf: () => Clock, settleMs: () => number, claimMs: () => number) {
  const after = async <T>(ms: number, answer: Promise<T>): Promise<T> => {
    const answered = await answer;
    await new Promise<void>((resolve) => clockOf().after(ms, resolve));
    return answered;
  };
  troubled.trouble.settle = (go) => after(settleMs(), go());
  troubled.trouble.claim = (go) => after(claimMs(), go());
}

describe('a runner with two exchanges under way', () => {
  it.each([
    ['together', () => 2, () => 2],
    ['those to claims sooner', () => 4, () => 2],
    ['in any order', () => 1 + Math.random() * 4, () => 1 + Math.random() * 4],
    ['those to outcomes sooner', () => 1, () => 6],
  ])('keeps to the concurrency of each queue, where answers come %s', async (_, settleMs, claimMs) => {
    let app: Started | undefined;
    const clockOf = () => app!.clock;
    const troubled = new TroubledStore();
    const { jobs, most, ran } = cappedJobs(clockOf);
    const queues = Object.entries(caps).map(([name, concurrency]) => ({ name, concurrency }));
    app = await start({
      providers: jobs,
      before: troubled.before,
      options: { runner: { concurrency, queues, autoStart: false } },
    });
    slow(troubled, clockOf, settleMs, claimMs);
    let underWay = 0;
    let mostUnderWay = 0;
    const { claim } = troubled.trouble;
    troubled.trouble.claim = (...args) => {
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      return claim!(...args).finally(() => underWay--);
    };
    let total = 0;
    await app.jobs.bulk((bulk) => {
      for (const job of jobs)
        for (let n = 0; n < (job === jobs.at(-1) ? 2_000 : 150); n++, total++)
          bulk.enqueue(job, Math.ceil(Math.random() * 4));
    });
    await app.runner.start();
    for (let rounds = 0; ran() < total && rounds < 100; rounds++) await app.advance(100);
    expect(ran()).toBe(total);
    expect(mostUnderWay).toBe(2);
    expect(Object.fromEntries(most)).toEqual({ ...caps, wide: expect.any(Number) });
    expect(most.get('wide')).toBeLessThanOrEqual(concurrency);
  });

  it('brings the outcomes of one moment in two halves, the second without waiting for a turn of the event loop', async () => {
    const done = gate();
    @Job({ name: 'Waits' })
    class Waits {
      run(): Promise<void> {
        return done.opened;
      }
    }
    const troubled = new TroubledStore();
    const options = { runner: { concurrency: 10, autoStart: false } };
    const app = await start({ providers: [Waits], before: troubled.before, options });
    const sent: { count: number; turn: number }[] = [];
    let turn = 0;
    const answered = gate();
    troubled.trouble.settle = async (go, settlements) => {
      sent.push({ count: settlements.length, turn });
      setImmediate(() => turn++);
      await answered.opened;
      return go();
    };
    await app.jobs.bulk((bulk) => {
      for (let n = 0; n < 25; n++) bulk.enqueue(Waits);
    });
    await app.runner.start();
    await app.advance(0);
    done.open();
    await app.advance(0);
    expect(sent).toEqual([
      { count: 5, turn: 0 },
      { count: 5, turn: 0 },
    ]);
    answered.open();
    await app.advance(0);
    expect(troubled.settlements).toHaveLength(25);
  });

  it('gives back what the older brought, whose answer was lost, also where the newer was answered since', async () => {
    const ran: string[] = [];
    @Job({ name: 'Once', retries: 0, keep: '1h' })
    class Once {
      run(_: void, { id }: Task): void {
        ran.push(id);
      }
    }
    const troubled = new TroubledStore();
    const options = { runner: { concurrency, batch: 20, autoStart: false } };
    const app = await start({ providers: [Once], before: troubled.before, options });
    const answers = [gate(), gate()];
    let claims = 0;
    troubled.trouble.claim = async (go) => {
      // The first says that there is more, so that two leave after it.
      const answer = answers[claims++ - 1];
      const claim = await go();
      await answer?.opened;
      return claim;
    };
    const ids = Array.from({ length: 60 }, (_, n) => `task ${n}`);
    await app.jobs.bulk((bulk) => {
      for (const id of ids) bulk.enqueue(Once, undefined, { id });
    });
    await app.runner.start();
    await app.advance(0);
    expect([claims, ran.length]).toEqual([3, 20]);
    answers[0]!.fail(new Error('connection reset'));
    await app.advance(0);
    answers[1]!.open();
    await app.advance(5_000);
    expect(ran.toSorted()).toEqual(ids.toSorted());
    for (const id of ids)
      expect(await app.store.catalog.get({ queue: 'default', id })).toMatchObject({
        state: 'succeeded',
        attempt: 1,
        failures: 0,
      });
  });
});
