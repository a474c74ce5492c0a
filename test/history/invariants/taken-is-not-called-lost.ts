import { nameOf } from '../history-event.js';
import type { Invariant } from '../violation.js';

/**
 * Where the store has taken the outcome of a process, and nobody has had the task since, a repeat of it is not answered as if
 * another had.
 */
export const takenIsNotCalledLost: Invariant = (history, complain) => {
  // By process and attempt, since whoever is told knows no epoch.
  const claims = new Map<string, number>();
  const claimOf = new Map<string, string>();
  const taken = new Map<string, string>();
  for (const event of history) {
    if (event.type === 'claimed' || event.type === 'stored') taken.delete(nameOf(event));
    if (event.type === 'claimed') {
      const claim = `${nameOf(event)} ${event.process} ${event.attempt}`;
      claims.set(claim, (claims.get(claim) ?? 0) + 1);
      claimOf.set(`${nameOf(event)} ${event.epoch}`, claim);
    }
    if (event.type === 'settled')
      taken.set(nameOf(event), claimOf.get(`${nameOf(event)} ${event.epoch}`) ?? '');
    if (event.type !== 'told-lost') continue;
    const claim = `${nameOf(event)} ${event.process} ${event.attempt}`;
    // Of two claims that look alike one may well be lost.
    if (taken.get(nameOf(event)) === claim && claims.get(claim) === 1)
      complain(
        event,
        `${event.process} was told that task ${event.id} was lost, though its outcome was taken`,
      );
  }
};
