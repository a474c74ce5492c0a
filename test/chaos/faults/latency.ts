import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { some } from './happened.js';

/** A claim that took as long as requests and answers were held up. */
const isSlow = some('claims that took longer', (event, history) => {
  const { count = Infinity } = (history.find(({ type }) => type === 'injected') ?? {}) as { count?: number };
  return event.type === 'claimed' && event.at - (event.sentAt ?? event.at) >= count;
});

/** Every request and every answer takes longer, but within the lease: nothing may be lost by that. */
export const latency: Fault = {
  name: 'added latency',
  backends: servers,
  isCheap: true,
  costsNothing: true,
  isProxied: true,
  happened: isSlow,
  async inject({ crew, random, pace, notebook }) {
    const delayMs = random.between(0.02, 0.06) * pace.leaseMs;
    const all = crew.alive;
    notebook.note({ type: 'injected', what: 'ms to and fro', count: Math.floor(2 * delayMs) });
    for (const { way } of all) way!.delayMs = delayMs;
    await sleep(2 * pace.leaseMs);
    for (const { way } of all) way!.delayMs = 0;
  },
};
