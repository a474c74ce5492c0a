import { nameOf } from '../history-event.js';
import type { Invariant } from '../violation.js';

interface Claimed {
  readonly epoch: number;
  readonly at: number;
}

/** An epoch is drawn once, ever higher, and writes count only under the latest one. */
export const oldEpochsAreRefused: Invariant = (history, complain) => {
  const claims = new Map<string, Claimed[]>();
  const lost = new Set<string>();
  const highest = new Map<string, number>();
  const settled = new Set<string>();
  for (const event of history) {
    if (event.type === 'claimed') {
      const { queue, epoch } = event;
      if (epoch <= (highest.get(queue) ?? 0))
        complain(event, `epoch ${epoch} of queue ${queue} was not above the one before`);
      highest.set(queue, Math.max(epoch, highest.get(queue) ?? 0));
      claims.set(nameOf(event), [...(claims.get(nameOf(event)) ?? []), event]);
    }
    if (event.type === 'lease-ended') lost.add(`${nameOf(event)} ${event.epoch}`);
    if (event.type !== 'settled' && event.type !== 'renewed') continue;
    const { epoch, at, sentAt = at } = event;
    const run = `${nameOf(event)} ${epoch}`;
    const since = (claims.get(nameOf(event)) ?? []).find(
      (claim) => claim.epoch > epoch && claim.at <= sentAt,
    );
    if (since)
      complain(
        event,
        `task ${event.id}: a write of epoch ${epoch} was taken after the claim of ${since.epoch}`,
      );
    const isLate = lost.has(run) && !(event.type === 'settled' && event.outcome === 'succeeded');
    if (isLate)
      complain(event, `task ${event.id}: its lease had ended, and a write that is no success was taken`);
    if (settled.has(run)) complain(event, `task ${event.id}: epoch ${epoch} was settled already`);
    if (event.type === 'settled') settled.add(run);
  }
};
