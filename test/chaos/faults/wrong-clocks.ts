import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';

const hourMs = 3_600_000;

/** Workers and a producer whose clocks are an hour off, ahead and behind, beside others that are right. */
export const wrongClocks: Fault = {
  name: 'clocks an hour off',
  backends: servers,
  isCheap: true,
  async inject({ crew, random, pace }) {
    const right = crew.producer;
    await Promise.all([crew.startWorker({ clockMs: hourMs }), crew.startWorker({ clockMs: -hourMs })]);
    await right.ask('finish');
    await crew.startProducer({ clockMs: random.pick([hourMs, -hourMs]) });
    await crew.workers[0]!.kill();
    await sleep(1.5 * pace.leaseMs);
  },
};
