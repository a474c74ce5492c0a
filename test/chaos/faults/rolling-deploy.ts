import { servers, type Fault } from './fault.js';
import { some } from './happened.js';

/** A new version, with a job that the old one does not know, takes the place of the old one, process by process. */
export const rollingDeploy: Fault = {
  name: 'rolling deploy of two versions',
  backends: servers,
  isCheap: true,
  costsNothing: true,
  firstVersion: 1,
  happened: some(
    'tasks that the old version has parked',
    (event) => event.type === 'settled' && event.outcome === 'parked',
  ),
  async inject({ crew }) {
    for (const old of crew.workers) {
      // The old ones meet tasks of the new job, and must not lose them.
      await crew.producer.ask('also', { kind: 'Newer', times: 20 });
      await crew.startWorker();
      await crew.stop([old]);
    }
    await crew.producer.ask('also', { kind: 'Newer', times: 20 });
  },
};
