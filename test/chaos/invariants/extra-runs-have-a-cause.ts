import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

type Started = HistoryEvent & { type: 'started' };

interface Trouble {
  readonly process: string;
  readonly at: number;
  readonly until: number;
}

/**
 * A run whose outcome the store did not take is done in vain: its process died over it, stood still, or was cut off from the
 * store. There are at most as many as slots were lost by that.
 */
export const extraRunsHaveACause: Invariant = (history, complain) => {
  const { leaseMs = 0 } = (history.find(({ type }) => type === 'settings') ?? {}) as { leaseMs?: number };
  const slots = new Map<string, number>();
  for (const event of history) if (event.type === 'up') slots.set(event.process, event.concurrency);
  const isFree = history.some((event) => event.type === 'fault' && event.costsNothing);
  const troubles = isFree ? [] : troublesOf(history);
  const inVain = runsInVain(history);
  for (const run of inVain) {
    const hasCause = troubles.some(
      ({ process, at, until }) =>
        process === run.process && until >= run.at - leaseMs && at <= endOf(run, history) + leaseMs,
    );
    if (!hasCause)
      complain(run, `the run of task ${run.id} in ${run.process} was in vain, though nothing happened to it`);
  }
  const allowed = troubles.reduce((sum, { process }) => sum + (slots.get(process) ?? 0), 0);
  if (inVain.length > allowed && inVain.length > 0 && troubles.length > 0)
    complain(undefined, `${inVain.length} runs were in vain, at most ${allowed} slots were lost`);
};

/** Runs that were begun, and of which the store took no outcome that anybody heard of. */
export function runsInVain(history: readonly HistoryEvent[]): Started[] {
  const settled = new Set(
    history.flatMap((event) => (event.type === 'settled' ? [`${nameOf(event)} ${event.epoch}`] : [])),
  );
  return history.filter(
    (event): event is Started => event.type === 'started' && !settled.has(`${nameOf(event)} ${event.epoch}`),
  );
}

export function troublesOf(history: readonly HistoryEvent[]): Trouble[] {
  return history.flatMap((event) => {
    if (event.type === 'died' || event.type === 'exited')
      return [{ process: event.process, at: event.at, until: Infinity }];
    if (event.type === 'stalled' || event.type === 'cut-off')
      return [{ process: event.process, at: event.at, until: event.at + event.forMs }];
    return [];
  });
}

function endOf(run: Started, history: readonly HistoryEvent[]): number {
  const end = history.find(
    (event) => event.type === 'ended' && event.epoch === run.epoch && event.id === run.id,
  );
  return end?.at ?? Infinity;
}
