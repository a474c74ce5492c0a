import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';
import { joined, lengthOf, stretchesOf, within } from '../stretches.js';

export interface Recovery {
  readonly id: string;
  readonly ms: number;
  /** How much of that the machine, or a process, stood still. */
  readonly stalledMs: number;
}

/**
 * What a process held when it died is claimed by another within a lease and a sweep; what a machine takes that stands still
 * meanwhile is measured, and comes on top.
 */
export const recoveryIsInTime: Invariant = (history, complain) => {
  const settings = history.find((event) => event.type === 'settings');
  if (!settings) return;
  const mostMs = settings.leaseMs + settings.sweepMs + settings.slackMs;
  for (const { id, ms, stalledMs } of recoveriesIn(history))
    if (ms > mostMs + stalledMs)
      complain(
        undefined,
        `task ${id} was taken over after ${Math.round(ms)} ms, not ${mostMs}, with ${Math.round(stalledMs)} ms of stalls`,
      );
};

/** How long each run that a death cut short had to wait for the next claim, where there was somebody to make it. */
export function recoveriesIn(history: readonly HistoryEvent[]): Recovery[] {
  const open = new Map<string, HistoryEvent & { type: 'started' }>();
  const waiting = new Map<string, number>();
  const found: Recovery[] = [];
  const alive = new Set<string>();
  const stalls = joined(stretchesOf(history, ['stalled', 'machine-stalled']));
  const cutOff = history.filter((event) => event.type === 'cut-off');
  for (const event of history) {
    if (event.type === 'up') {
      // Where nobody was left, the time counts from the first who came.
      if (alive.size === 0) for (const task of waiting.keys()) waiting.set(task, event.at);
      alive.add(event.process);
    }
    if (event.type === 'started') open.set(nameOf(event), event);
    if (event.type === 'settled') {
      open.delete(nameOf(event));
      waiting.delete(nameOf(event));
    }
    if (event.type === 'died' || event.type === 'down' || event.type === 'exited')
      alive.delete(event.process);
    if (event.type === 'died')
      for (const [task, { process }] of open)
        if (process === event.process) {
          open.delete(task);
          waiting.set(task, event.at);
        }
    if (event.type !== 'claimed') continue;
    const since = waiting.get(nameOf(event));
    waiting.delete(nameOf(event));
    if (since === undefined) continue;
    const isDisturbed = cutOff.some(({ at, forMs }) => at < event.at && at + forMs > since);
    if (isDisturbed) continue;
    const stalledMs = lengthOf(within(stalls, { from: since, to: event.at }));
    found.push({ id: event.id, ms: event.at - since, stalledMs });
  }
  return found;
}
