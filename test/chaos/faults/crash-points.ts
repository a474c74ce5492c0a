import { setTimeout as sleep } from 'node:timers/promises';
import type { Seeded } from '../../simulation/seeded.js';
import type { Member } from '../member.js';
import type { BackendName } from '../stages/stage.js';
import { servers, type Fault, type Scene } from './fault.js';
import { injected, injectedIn, type Happened } from './happened.js';

/** Before a request, when it has left, when its answer has come; and in the middle of a run. */
const around = (call: string) => [`${call}:before`, `${call}:sent`, `${call}:answered`];
const ofWorkers = [
  ...['put', 'due', 'claim', 'settle', 'advance'].flatMap(around),
  ...['run:begun', 'run:effect'],
];
const ofTransactions = ['commit:before', 'commit:sent', 'commit:answered'];
const ofProducers = around('add');
/** Where the store is in its only process, that one does all of it. */
const pointsOn: Readonly<Record<BackendName, readonly string[]>> = {
  redis: ofWorkers,
  'redis-cluster': ofWorkers,
  postgres: [...ofWorkers, ...ofTransactions],
  pglite: [...ofWorkers, ...ofTransactions, ...ofProducers],
};
const atOnce = 3;
/** Others may always be first at a point. */
const mostTries = 4;

type Start = (point: string, isFirst: boolean) => Promise<Member>;

export const pointsWanted = 'points at which to die';
export const pointsReached = 'points at which one died';
const allReached: Happened = (history) =>
  injected(pointsReached, Math.max(injectedIn(history, pointsWanted), 1))(history);

/** Processes that die at each named point between two round trips; in a short round at some of them. */
export const workerCrashes: Fault = {
  name: 'worker crashes at named points',
  backends: [...servers, 'pglite'],
  short: ['postgres'],
  isCheap: true,
  happened: allReached,
  async inject(scene) {
    const { stage, random, pace } = scene;
    const all = pointsOn[stage.backend];
    const points = all.toSorted(() => random.next() - 0.5).slice(0, pace.isShort ? atOnce : all.length);
    want(scene, points);
    while (points.length > 0)
      await (stage.backend === 'pglite' ? dieAlone : dieAmongOthers)(points.splice(0, atOnce), scene);
  },
};

async function dieAmongOthers(points: readonly string[], scene: Scene): Promise<void> {
  const { crew, random } = scene;
  const die: Start = (point, isFirst) => crew.startWorker({ crashAt: crashAt(point, isFirst, random) });
  await Promise.all(points.map((point) => diesAt(point, die, scene)));
}

/** One after the other, and then one that lives: nobody else does the long tasks, of which each death costs an attempt. */
async function dieAlone(points: readonly string[], scene: Scene): Promise<void> {
  const { crew, random, pace } = scene;
  const die: Start = (point, isFirst) => crew.startAlone({ crashAt: crashAt(point, isFirst, random) });
  await crew.stop();
  for (const point of points) await diesAt(point, die, scene);
  await crew.startAlone();
  await sleep(2 * pace.leaseMs);
}

function crashAt(point: string, isFirst: boolean, random: Seeded): { point: string; times: number } {
  // A process comes to these once, or to few of them.
  const isRare = /^(put|advance|due)/.test(point);
  return { point, times: isRare || !isFirst ? 1 : random.int(1, 15) };
}

export const producerCrashes: Fault = {
  name: 'producer crashes at named points',
  backends: servers,
  isCheap: true,
  costsNothing: true,
  happened: allReached,
  async inject(scene) {
    const { crew, random, pace } = scene;
    const points = pace.isShort ? [random.pick(ofProducers)] : ofProducers;
    want(scene, points);
    await crew.producer.ask('finish');
    const die = (point: string) => crew.startProducer({ crashAt: { point, times: random.int(1, 30) } });
    for (const point of points) await diesAt(point, die, scene);
    await crew.startProducer();
  },
};

function want({ notebook }: Scene, points: readonly string[]): void {
  notebook.note({ type: 'injected', what: pointsWanted, count: points.length });
}

/** One that never comes to its point, since others are always first, is killed where it stands, and another tries. */
async function diesAt(point: string, start: Start, { pace, notebook }: Scene): Promise<void> {
  for (let time = 0; time < mostTries; time++) {
    const member = await start(point, time === 0);
    await Promise.race([member.ended, sleep(2 * pace.leaseMs, undefined, { ref: false })]);
    if (member.isAlive) await member.kill();
    const last = notebook.lastOf(member.name);
    if (last?.type !== 'died' || last.point !== point) continue;
    notebook.note({ type: 'injected', what: pointsReached, count: 1 });
    return;
  }
  throw new Error(`no process came to ${point}`);
}
