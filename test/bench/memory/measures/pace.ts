import { median, ownFigure, type Figure } from '../../side-by-side/figures.js';
import { counted, fixed } from '../../side-by-side/settings.js';
import { variants } from '../../side-by-side/system.js';
import { MemoryApp } from '../memory-app.js';
import { roundsOf, timed, type MemoryBench, type Round } from '../memory-bench.js';

const tasks = 100_000;
const concurrency = 100;

export async function measureProcess(bench: MemoryBench): Promise<Figure[]> {
  const count = counted(bench.settings, tasks);
  const figures: Figure[] = [];
  for (const concurrency of [1, 10, 100, 1_000]) {
    bench.say(`processing at concurrency ${concurrency}`);
    const rounds = await MemoryApp.with({ concurrency }, (app) =>
      roundsOf(bench, async () => {
        await app.fill(count);
        return app.timedRun(count);
      }),
    );
    figures.push(...paceAndCpu(`process, concurrency ${concurrency}`, rounds));
  }
  return figures;
}

export async function measureEnqueue(bench: MemoryBench): Promise<Figure[]> {
  const count = counted(bench.settings, tasks);
  const size = fixed(bench.settings, 10_000);
  const enqueue = (work: (app: MemoryApp) => Promise<void>) =>
    roundsOf(bench, () => MemoryApp.with({}, (app) => timed(count, () => work(app))));
  bench.say('enqueueing');
  const [many, single, bulk] = [
    await enqueue((app) => app.enqueueBy(100, count, 'plain')),
    await enqueue((app) => app.enqueueBy(1, count, 'plain')),
    await enqueue((app) => app.fill(count, {}, size)),
  ];
  return [
    ...paceAndCpu('enqueue, 100 awaiters', many),
    ...paceAndCpu('enqueue, one at a time', single),
    ...paceAndCpu(`enqueue, bulk of ${size.toLocaleString('en-US')}`, bulk),
  ];
}

/** With what a job may have beside a handler, in turns with plain ones. */
export async function measureFeatures(bench: MemoryBench): Promise<Figure[]> {
  bench.say('a params class, an interceptor, a unique lock');
  const count = counted(bench.settings, tasks);
  const kinds = ['plain', 'params', 'interceptor', 'unique'] as const;
  const rounds = await MemoryApp.with({ concurrency }, (app) =>
    roundsOf(bench, async () => {
      const round = new Map<string, { enqueue: Round; process: Round }>();
      for (const kind of kinds) {
        const enqueue = await timed(count, () => app.enqueueBy(100, count, kind));
        round.set(kind, { enqueue, process: await app.timedRun(count) });
      }
      return round;
    }),
  );
  const paces = (kind: string, work: 'enqueue' | 'process') =>
    rounds.map((round) => round.get(kind)![work].pace);
  const name = (kind: (typeof kinds)[number]) =>
    kind === 'plain' ? 'plain, in turns with these' : variants[kind];
  const share = (kind: 'params' | 'interceptor' | 'unique', work: 'enqueue' | 'process') =>
    paces(kind, work).map((pace) => pace / median(paces('plain', work)));
  return [
    ...kinds.map((kind) =>
      ownFigure(`process, concurrency ${concurrency}, ${name(kind)}`, 'tasks/s', paces(kind, 'process')),
    ),
    ...kinds
      .filter((kind) => kind !== 'interceptor')
      .map((kind) => ownFigure(`enqueue, 100 awaiters, ${name(kind)}`, 'tasks/s', paces(kind, 'enqueue'))),
    ...(['params', 'interceptor', 'unique'] as const).map((kind) =>
      ownFigure(`pace ${variants[kind]}, to plain`, 'share', share(kind, 'process')),
    ),
    ownFigure(
      'cost of a unique enqueue, to a plain one',
      'share',
      share('unique', 'enqueue').map((pace) => 1 / pace),
      [{ atMost: 1.5 }],
    ),
  ];
}

export async function measureQueues(bench: MemoryBench): Promise<Figure[]> {
  bench.say('processing of 50 queues');
  const count = counted(bench.settings, tasks);
  const queues = Array.from({ length: 50 }, (_, index) => `bench-${index}`);
  const rounds = await MemoryApp.with({ concurrency, queues }, (app) =>
    roundsOf(bench, async () => {
      await app.fill(count, { queues });
      return app.timedRun(count);
    }),
  );
  return paceAndCpu(`process, concurrency ${concurrency}, 50 queues`, rounds).slice(0, 1);
}

function paceAndCpu(work: string, rounds: readonly Round[]): Figure[] {
  return [
    ownFigure(
      work,
      'tasks/s',
      rounds.map(({ pace }) => pace),
    ),
    ownFigure(
      `node, 10,000 tasks, ${work}`,
      'CPU-s',
      rounds.map(({ cpuSeconds }) => cpuSeconds),
    ),
  ];
}
