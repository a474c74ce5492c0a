import { setTimeout as pause } from 'node:timers/promises';
import { ownFigure, percentile, type Figure } from '../../side-by-side/figures.js';
import { counted, fixed, lasting } from '../../side-by-side/settings.js';
import { payload } from '../../side-by-side/system.js';
import { MemoryApp, queue } from '../memory-app.js';
import { roundsOf, type MemoryBench } from '../memory-bench.js';

const pauseMs = 12;
const stepMs = 5;
const perSecond = 1_000;

/** From the call to the handler, single tasks with pauses. */
export async function measureLatency(bench: MemoryBench): Promise<Figure[]> {
  bench.say('pick-up latency');
  const count = counted(bench.settings, 500);
  const rounds = await heard(bench, async (app) => {
    for (let called = 0; called < count; called++) {
      await pause(pauseMs * (0.5 + Math.random()));
      await app.enqueue('plain', payload(String(process.hrtime.bigint())));
    }
  });
  return percentiles('idle pick-up', rounds);
}

/** From the call to the handler while 1,000 tasks a second come in. */
export async function measureLoad(bench: MemoryBench): Promise<Figure[]> {
  const seconds = lasting(bench.settings, { full: 10, quick: 4, tiny: 0.3 });
  bench.say(`${perSecond} tasks a second for ${seconds} s`);
  const rounds = await heard(bench, async (app) => {
    const calls: Promise<unknown>[] = [];
    for (const from = performance.now(); calls.length < perSecond * seconds; await pause(stepMs)) {
      const owed = Math.min(seconds, (performance.now() - from) / 1_000) * perSecond;
      while (calls.length < owed) calls.push(app.enqueue('plain', payload(String(process.hrtime.bigint()))));
    }
    await Promise.all(calls);
  });
  return percentiles('call to run at 1,000 a second', rounds);
}

/** Tasks that become due evenly within one second: milliseconds from due time to handler. */
export async function measureDue(bench: MemoryBench): Promise<Figure[]> {
  const count = fixed(bench.settings, 10_000);
  const many = count.toLocaleString('en-US');
  bench.say(`${many} tasks due within one second`);
  const rounds = await roundsOf(bench, () =>
    MemoryApp.with({}, async (app) => {
      const lateness: number[] = [];
      const all = new Promise<void>((resolve) => {
        app.hear(({ at }) => {
          if (lateness.push(Date.now() - Number(at)) === count) resolve();
        });
      });
      await app.runner.start();
      const firstAt = Date.now() + 1_000;
      await app.fillDue(Array.from({ length: count }, (_, n) => firstAt + Math.floor((n * 1_000) / count)));
      await all;
      return lateness;
    }),
  );
  return percentiles(`${many} due in one second: lateness`, rounds);
}

function heard(bench: MemoryBench, call: (app: MemoryApp) => Promise<void>): Promise<number[][]> {
  return roundsOf(bench, () =>
    MemoryApp.with({ queues: [queue] }, async (app) => {
      const delays: number[] = [];
      app.hear(({ at }) => delays.push(Number(process.hrtime.bigint() - BigInt(at)) / 1e6));
      await app.runner.start();
      await call(app);
      await app.runner.stop();
      return delays;
    }),
  );
}

function percentiles(work: string, rounds: readonly (readonly number[])[]): Figure[] {
  return [50, 99].map((percent) =>
    ownFigure(
      `${work}, p${percent}`,
      'ms',
      rounds.map((delays) => percentile(delays, percent)),
    ),
  );
}
