import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault, type Scene } from './fault.js';

/** Before a request, when it has left, when its answer has come; and in the middle of a run. */
const around = (call: string) => [`${call}:before`, `${call}:sent`, `${call}:answered`];
const ofWorkers = [...around('claim'), ...around('settle'), ...around('advance'), 'run:begun', 'run:effect'];
const ofTransactions = ['commit:before', 'commit:answered'];
const ofProducers = around('add');
const atOnce = 3;

/** Processes that die at each named point between two round trips; in a short round at some of them. */
export const workerCrashes: Fault = {
  name: 'worker crashes at named points',
  backends: servers,
  short: ['postgres'],
  isCheap: true,
  async inject(scene) {
    const { crew, stage, random, pace } = scene;
    const all = stage.backend === 'postgres' ? [...ofWorkers, ...ofTransactions] : ofWorkers;
    const points = all.toSorted(() => random.next() - 0.5).slice(0, pace.isShort ? atOnce : all.length);
    while (points.length > 0) {
      const dying = points.splice(0, atOnce).map((point) => {
        const times = point.startsWith('advance') ? 1 : random.int(1, 15);
        return crew.startWorker({ crashAt: { point, times } });
      });
      await Promise.all(dying.map((starting) => diesSoon(starting, scene)));
    }
  },
};

export const producerCrashes: Fault = {
  name: 'producer crashes at named points',
  backends: servers,
  isCheap: true,
  costsNothing: true,
  async inject(scene) {
    const { crew, random, pace } = scene;
    const points = pace.isShort ? [random.pick(ofProducers)] : ofProducers;
    await crew.producer.ask('finish');
    for (const point of points)
      await diesSoon(crew.startProducer({ crashAt: { point, times: random.int(1, 30) } }), scene);
    await crew.startProducer();
  },
};

/** One that never comes to its point, since others are always first, is killed where it stands. */
async function diesSoon(starting: ReturnType<Scene['crew']['startWorker']>, { pace }: Scene): Promise<void> {
  const member = await starting;
  await Promise.race([member.ended, sleep(2 * pace.leaseMs, undefined, { ref: false })]);
  if (member.isAlive) await member.kill();
}
