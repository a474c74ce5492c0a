import { nameOf } from '../history-event.js';
import type { Invariant } from '../violation.js';

/** What is claimed when nothing fails any more is settled by whoever claimed it. */
export const calmLeasesAreKept: Invariant = (history, complain) => {
  let isHealed = false;
  const claims = new Map<string, string>();
  const excused = new Set<string>();
  const stalledUntil = new Map<string, number>();
  for (const event of history) {
    if (event.type === 'stalled') stalledUntil.set(event.process, event.at + event.forMs);
    if (event.type === 'healed') {
      isHealed = true;
      // What such a process had sent before is answered while it stands still, and nobody puts it on the board.
      for (const [process, until] of stalledUntil) if (until > event.at) excused.add(process);
    }
    // One that was to stop before has little time left to bring what it has.
    const isExcuse = isHealed ? event.type === 'died' || event.type === 'stalled' : event.type === 'stopping';
    if (isExcuse) excused.add((event as { process: string }).process);
    if (isHealed && event.type === 'claimed') claims.set(`${nameOf(event)} ${event.epoch}`, event.process);
    if (event.type !== 'lease-ended') continue;
    const process = claims.get(`${nameOf(event)} ${event.epoch}`);
    if (process !== undefined && !excused.has(process))
      complain(event, `task ${event.id}: its lease ended in ${process}, though nothing failed`);
  }
};
