import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { all, some } from './happened.js';

const times = 2;

/** Tasks that kill their process each time they run, under somebody who starts it again. */
export const poison: Fault = {
  name: 'poison tasks',
  backends: servers,
  isCheap: true,
  happened: all(
    some('tasks that are dead', (event) => event.type === 'listed' && event.state === 'dead', times),
    // One death may cost both an attempt.
    some('deaths', ({ type }) => type === 'died', 2),
  ),
  async inject({ crew, auditor, pace }) {
    await crew.producer.ask('also', { kind: 'Poison', times });
    const until = Date.now() + 30 * pace.leaseMs;
    while (Date.now() < until && (await auditor.catalog.counts()).dead < times) {
      while (crew.workers.length < pace.workers) await crew.startWorker();
      await sleep(50);
    }
    while (crew.workers.length < pace.workers) await crew.startWorker();
  },
};
