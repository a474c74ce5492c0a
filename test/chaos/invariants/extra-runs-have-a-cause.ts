import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';
import { joined, stretchesOf, type Stretch } from '../stretches.js';

type Started = HistoryEvent & { type: 'started' };

interface Trouble extends Stretch {
  readonly process: string;
}

/**
 * A run whose outcome the store did not take is done in vain: its process died over it, stood still for a good part of the
 * lease, or was cut off from the store. There are at most as many as slots were lost by that.
 */
export const extraRunsHaveACause: Invariant = (history, complain) => {
  const { leaseMs = 0 } = (history.find(({ type }) => type === 'settings') ?? {}) as { leaseMs?: number };
  const slots = new Map<string, number>();
  for (const event of history) if (event.type === 'up') slots.set(event.process, event.concurrency);
  const isFree = history.some((event) => event.type === 'fault' && event.costsNothing);
  // What is to cost nothing has no excuse but a machine that stood still.
  const causes = isFree ? history.filter((event) => !isOfFault(event)) : history;
  const troubles = troublesOf(graveOnly(causes, leaseMs));
  const inVain = runsInVain(history).filter((run) => !isForgotten(run, history));
  for (const run of inVain) {
    const hasCause = troubles.some(
      ({ process, from, to }) =>
        process === run.process && to >= run.at - leaseMs && from <= endOf(run, history) + leaseMs,
    );
    if (!hasCause)
      complain(run, `the run of task ${run.id} in ${run.process} was in vain, though nothing happened to it`);
  }
  const allowed = slotsLost(troubles, slots, leaseMs);
  if (inVain.length > allowed && troubles.length > 0)
    complain(undefined, `${inVain.length} runs were in vain, at most ${allowed} slots were lost`);
};

/** Another thread renews: a short stall costs nobody a lease; several, one after the other, are a long one. */
function graveOnly(history: readonly HistoryEvent[], leaseMs: number): HistoryEvent[] {
  const isStall = ({ type }: HistoryEvent) => type === 'stalled' || type === 'machine-stalled';
  const stalls = history.filter(isStall);
  const owners = new Set(stalls.map((event) => ('process' in event ? event.process : undefined)));
  const long = [...owners].flatMap((process) => {
    const own = stalls.filter((event) => ('process' in event ? event.process : undefined) === process);
    const all = joined(stretchesOf(own, ['stalled', 'machine-stalled']), leaseMs / 4);
    return all
      .filter(({ from, to }) => to - from >= leaseMs / 2)
      .map(({ from, to }): HistoryEvent => {
        const [at, forMs] = [from, to - from];
        return process === undefined
          ? { at, type: 'machine-stalled', forMs }
          : { at, type: 'stalled', process, forMs };
      });
  });
  return [...history.filter((event) => !isStall(event)), ...long];
}

const isOfFault = ({ type }: HistoryEvent) => ['died', 'exited', 'stalled', 'cut-off'].includes(type);

/** Once for all that happens to a process within a lease: a slot is lost with the lease of its run. */
function slotsLost(
  troubles: readonly Trouble[],
  slots: ReadonlyMap<string, number>,
  leaseMs: number,
): number {
  const times = [...slots.keys()].map(
    (process) =>
      joined(
        troubles.filter((trouble) => trouble.process === process),
        leaseMs,
      ).length,
  );
  return [...slots.values()].reduce((sum, count, at) => sum + count * times[at]!, 0);
}

/** Its outcome may have been taken by a store that knows no more of it. */
function isForgotten(run: Started, history: readonly HistoryEvent[]): boolean {
  return history.some(
    (event) =>
      (event.type === 'forgot' && run.at <= event.at && endOf(run, history) >= event.sinceAt) ||
      (event.type === 'settled-in-vain' && nameOf(event) === nameOf(run) && event.epoch === run.epoch),
  );
}

/** Runs that were begun, and of which the store took no outcome that anybody heard of. */
export function runsInVain(history: readonly HistoryEvent[]): Started[] {
  const settled = new Set(
    history.flatMap((event) => (event.type === 'settled' ? [`${nameOf(event)} ${event.epoch}`] : [])),
  );
  return history.filter(
    (event): event is Started => event.type === 'started' && !settled.has(`${nameOf(event)} ${event.epoch}`),
  );
}

/** What happened to whom; a machine that stands still happens to all. */
export function troublesOf(history: readonly HistoryEvent[]): Trouble[] {
  const all = history.flatMap((event) => (event.type === 'up' ? [event.process] : []));
  return history.flatMap((event) => {
    if (event.type === 'died' || event.type === 'exited')
      return [{ process: event.process, from: event.at, to: Infinity }];
    if (event.type === 'stalled' || event.type === 'cut-off')
      return [{ process: event.process, from: event.at, to: event.at + event.forMs }];
    if (event.type === 'machine-stalled')
      return all.map((process) => ({ process, from: event.at, to: event.at + event.forMs }));
    return [];
  });
}

function endOf(run: Started, history: readonly HistoryEvent[]): number {
  const end = history.find(
    (event) => event.type === 'ended' && event.epoch === run.epoch && event.id === run.id,
  );
  return end?.at ?? Infinity;
}
