import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { type Happened } from './happened.js';

const hourMs = 3_600_000;

/** Each worker whose clock is wrong has run something. */
const bothRan: Happened = (history) => {
  const wrong = history.flatMap((event) => (event.type === 'up' && event.clockMs ? [event.process] : []));
  const ran = new Set(history.flatMap((event) => (event.type === 'started' ? [event.process] : [])));
  const idle = wrong.filter((process) => !ran.has(process));
  return wrong.length < 2 || idle.length > 0
    ? `of ${wrong.length} wrong clocks ${idle.length} ran nothing`
    : undefined;
};

/** Workers and a producer whose clocks are an hour off, ahead and behind, beside others that are right. */
export const wrongClocks: Fault = {
  name: 'clocks an hour off',
  backends: servers,
  isCheap: true,
  happened: bothRan,
  async inject({ crew, random, pace }) {
    const right = crew.producer;
    await Promise.all([crew.startWorker({ clockMs: hourMs }), crew.startWorker({ clockMs: -hourMs })]);
    await right.ask('finish');
    await crew.startProducer({ clockMs: random.pick([hourMs, -hourMs]) });
    await crew.workers[0]!.kill();
    await sleep(1.5 * pace.leaseMs);
  },
};
