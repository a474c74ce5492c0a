import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault, type Scene } from './fault.js';
import { all, some } from './happened.js';

const times = 2;

/** Tasks that kill their process each time they run, under somebody who starts it again. */
export const poison: Fault = {
  name: 'poison tasks',
  backends: [...servers, 'pglite'],
  isCheap: true,
  happened: all(
    some('tasks that are dead', (event) => event.type === 'listed' && event.state === 'dead', times),
    // One death may cost both an attempt.
    some('deaths', ({ type }) => type === 'died', 2),
  ),
  async inject(scene) {
    await scene.crew.producer.ask('also', { kind: 'Poison', times });
    await (scene.stage.backend === 'pglite' ? startAgainAlone(scene) : startAgain(scene));
  },
};

async function startAgain({ crew, auditor, pace }: Scene): Promise<void> {
  const until = Date.now() + 30 * pace.leaseMs;
  while (Date.now() < until && (await auditor.catalog.counts()).dead < times) {
    while (crew.workers.length < pace.workers) await crew.startWorker();
    await sleep(50);
  }
  while (crew.workers.length < pace.workers) await crew.startWorker();
}

/** Nobody can look from outside; but no poison is left to a process that has lived on for so long. */
async function startAgainAlone({ crew, pace }: Scene): Promise<void> {
  const until = Date.now() + 30 * pace.leaseMs;
  for (let one = crew.producer; Date.now() < until; one = await crew.startAlone()) {
    await Promise.race([one.ended, sleep(2 * pace.leaseMs, undefined, { ref: false })]);
    if (one.isAlive) return;
  }
}
