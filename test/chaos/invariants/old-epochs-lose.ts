import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

type Claimed = HistoryEvent & { type: 'claimed' };

const ends = new Set(['succeeded', 'dead', 'cancelled']);

/**
 * Of real processes only requests and answers are known: a claim that was answered before another was asked for has the lower
 * epoch, and a write that left after the answer to a later claim is not taken. Nor is anything once a task has
 * come to its end: however late an answer, a task ends once.
 */
export const oldEpochsLose: Invariant = (history, complain) => {
  const claims = new Map<string, Claimed[]>();
  const drawn = new Set<string>();
  const succeeded = new Map<string, number>();
  const ended = new Map<string, { epoch: number; at: number }>();
  for (const event of history) {
    if (event.type === 'claimed') {
      const name = nameOf(event);
      // Of one task: PostgreSQL draws one epoch for all tasks of a claim, and each is fenced by its own.
      if (drawn.has(`${name} ${event.epoch}`))
        complain(event, `task ${event.id}: epoch ${event.epoch} was drawn twice`);
      drawn.add(`${name} ${event.epoch}`);
      const before = (claims.get(name) ?? []).find(
        ({ epoch, at }) => epoch > event.epoch && at < (event.sentAt ?? event.at),
      );
      if (before) complain(event, `task ${event.id}: epoch ${event.epoch} was drawn after ${before.epoch}`);
      claims.set(name, [...(claims.get(name) ?? []), event]);
    }
    if (event.type !== 'settled' || !ends.has(event.outcome)) continue;
    const { epoch, at, outcome } = event;
    if (outcome === 'succeeded') succeeded.set(nameOf(event), epoch);
    const first = ended.get(nameOf(event));
    if (first && first.epoch !== epoch)
      complain(event, `task ${event.id} was ended by epoch ${first.epoch}, and again by ${epoch}`);
    else ended.set(nameOf(event), { epoch, at });
  }
  for (const event of history) {
    if (event.type === 'settled') {
      const { epoch, at, sentAt = at } = event;
      const since = (claims.get(nameOf(event)) ?? []).find(
        (claim) => claim.epoch > epoch && claim.at <= sentAt,
      );
      if (since)
        complain(
          event,
          `task ${event.id}: a write of epoch ${epoch} was taken after the claim of ${since.epoch}`,
        );
      const end = ended.get(nameOf(event));
      if (!since && end && end.epoch !== epoch && end.at < sentAt && !ends.has(event.outcome))
        complain(
          event,
          `task ${event.id}: a write of epoch ${epoch} was taken after its end by ${end.epoch}`,
        );
    }
    const last = 'id' in event ? succeeded.get(nameOf(event)) : undefined;
    if (event.type === 'claimed' && last !== undefined && event.epoch > last)
      complain(event, `task ${event.id} was claimed as ${event.epoch}, though ${last} had succeeded`);
  }
};
