import { nameOf, type HistoryEvent } from '../history/history-event.js';

/** For how long each process has been at the oldest of its runs that are not over. */
export function longRuns(history: readonly HistoryEvent[], now: number): Map<string, number> {
  const open = new Map<string, { process: string; at: number }>();
  for (const event of history) {
    if (event.type === 'started') open.set(`${nameOf(event)} ${event.epoch}`, event);
    if (event.type === 'ended') open.delete(`${nameOf(event)} ${event.epoch}`);
  }
  const longest = new Map<string, number>();
  for (const { process, at } of open.values())
    longest.set(process, Math.max(longest.get(process) ?? 0, now - at));
  return longest;
}
