// Looks from inside whether anything is left to run, where only one process can have the store.
import { setTimeout as sleep } from 'node:timers/promises';
import { tick } from './jobs.mjs';

export async function restWithin(catalog, withinMs) {
  const until = Date.now() + withinMs;
  while (Date.now() < until) {
    await catalog.pauseSchedule(tick);
    const { scheduled, waiting, pending } = await catalog.counts();
    if (scheduled + waiting + pending === 0) return;
    await sleep(50);
  }
}
