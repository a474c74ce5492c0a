import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';
import { troublesOf } from './extra-runs-have-a-cause.js';

type Started = HistoryEvent & { type: 'started' };

/** Before another process has a task, the handler that still runs it was told to stop, unless its process stood still. */
export const signalsComeFirst: Invariant = (history, complain) => {
  const { leaseMs = 0 } = (history.find(({ type }) => type === 'settings') ?? {}) as { leaseMs?: number };
  const stalls = troublesOf(history.filter(({ type }) => type !== 'cut-off'));
  const running = new Map<string, Started>();
  for (const event of history) {
    if (!('id' in event)) continue;
    const before = running.get(nameOf(event));
    const isOver = ['ended', 'aborted', 'offered'].includes(event.type);
    if (isOver && before?.epoch === (event as Started).epoch) running.delete(nameOf(event));
    if (event.type === 'started') running.set(nameOf(event), event);
    if (event.type !== 'claimed' || !before || before.process === event.process) continue;
    // The late answer to an earlier claim takes nothing over.
    if (event.epoch < before.epoch) continue;
    const isStill = stalls.some(
      ({ process, from, to }) =>
        process === before.process && from <= event.at && to >= Math.max(before.at, event.at - 2 * leaseMs),
    );
    if (!isStill)
      complain(
        event,
        `task ${event.id} went to ${event.process}, while ${before.process} ran it and was not told`,
      );
    running.delete(nameOf(event));
  }
};
