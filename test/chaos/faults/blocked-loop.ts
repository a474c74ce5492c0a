import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { some } from './happened.js';

/** A loop that stood still for a lease. */
const isBlocked = some('loops that stood still for a lease', (event, history) => {
  const settings = history.find(({ type }) => type === 'settings') as { leaseMs: number } | undefined;
  return event.type === 'stalled' && event.forMs >= (settings?.leaseMs ?? Infinity);
});

/** Handlers that block the event loop for longer than a lease, which a thread renews meanwhile; on PGlite it is renewed before it is looked at. */
export const blockedLoop: Fault = {
  name: 'blocked event loop',
  backends: [...servers, 'pglite'],
  isCheap: true,
  costsNothing: true,
  happened: isBlocked,
  async inject({ crew, pace }) {
    await crew.producer.ask('also', { kind: 'Blocking', times: 2 });
    await sleep(2 * pace.leaseMs);
  },
};
