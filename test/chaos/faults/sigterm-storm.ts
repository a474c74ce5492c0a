import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { some } from './happened.js';

const shutdownMs = 100;

/** Workers come and are told to go, with less time than their tasks need. */
export const sigtermStorm: Fault = {
  name: 'SIGTERM storm, short grace',
  backends: servers,
  isCheap: true,
  costsNothing: true,
  shutdownMs,
  happened: some(
    'tasks that were handed back',
    (event) => event.type === 'settled' && event.outcome === 'handed-back',
  ),
  async inject({ crew, random, pace }) {
    const leaving: Promise<void>[] = [];
    for (let time = 0; time < 2 * pace.workers; time++) {
      const next = crew.startWorker({ shutdownMs });
      leaving.push(crew.stop([random.pick(crew.workers.filter(({ isSteady }) => isSteady))]));
      await next;
      await sleep(random.between(0, 300));
    }
    await Promise.all(leaving);
  },
};
