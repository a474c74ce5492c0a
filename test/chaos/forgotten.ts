import type { HistoryEvent } from '../history/history-event.js';

const ofStore = new Set<HistoryEvent['type']>(['acknowledged', 'claimed', 'settled']);

/** What a store that may lose the latest moments has lost did not happen: it answered, but has promised nothing. */
export function remembered(history: readonly HistoryEvent[]): HistoryEvent[] {
  const gaps = history.filter((event) => event.type === 'forgot');
  const isForgotten = ({ type, at }: HistoryEvent) =>
    ofStore.has(type) && gaps.some((gap) => at >= gap.sinceAt && at <= gap.at);
  return history.flatMap((event) => {
    if (!isForgotten(event)) return [event];
    if (event.type !== 'settled') return [];
    const { at, process, queue, id, epoch } = event;
    return [{ at, type: 'settled-in-vain' as const, process, queue, id, epoch }];
  });
}

/** How many acknowledged enqueues are not to be found, which it may. */
export function lostIn(history: readonly HistoryEvent[]): number {
  const known = new Set(history.flatMap((event) => (event.type === 'listed' ? [event.id] : [])));
  const gaps = history.filter((event) => event.type === 'forgot');
  return history.filter(
    (event) =>
      event.type === 'acknowledged' &&
      event.status === 'enqueued' &&
      gaps.some((gap) => event.at >= gap.sinceAt && event.at <= gap.at) &&
      !known.has(event.id),
  ).length;
}
