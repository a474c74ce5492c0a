import { nameOf } from '../history-event.js';
import type { Invariant } from '../violation.js';

interface Running {
  readonly process: string;
  isAborted: boolean;
}

/** A handler that still runs when the store takes its task back was told so before, unless its event loop stood still. */
export const signalsAbortInTime: Invariant = (history, complain) => {
  const running = new Map<string, Running>();
  const renewedAt = new Map<string, number>();
  const stalledUntil = new Map<string, number>();
  for (const event of history) {
    if (event.type === 'stalled') {
      const until = Math.max(stalledUntil.get(event.process) ?? 0, event.at + event.forMs);
      stalledUntil.set(event.process, until);
    }
    if (event.type === 'died')
      for (const [run, { process }] of running) if (process === event.process) running.delete(run);
    if (!('epoch' in event)) continue;
    const run = `${nameOf(event)} ${event.epoch}`;
    if (event.type === 'claimed' || event.type === 'renewed') renewedAt.set(run, event.at);
    if (event.type === 'started') running.set(run, { process: event.process, isAborted: false });
    if (event.type === 'ended' || event.type === 'offered') running.delete(run);
    const seen = running.get(run);
    if (seen && event.type === 'aborted') seen.isAborted = true;
    if (event.type !== 'lease-ended' || !seen || seen.isAborted) continue;
    // Whoever stood still at any time since the last renewal may have missed the moment.
    if ((stalledUntil.get(seen.process) ?? -Infinity) > (renewedAt.get(run) ?? 0)) continue;
    complain(
      event,
      `task ${event.id}: its lease ended in ${seen.process}, whose handler was not told before`,
    );
  }
};
