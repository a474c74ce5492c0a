import type { HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** By then each worker has had a task, and the schedule has fired. */
export const everyoneWithinMs = 30_000;
const leastSlots = 2;

/** After the healing every worker that lives claims again, and slots are fired again: others must not hide one that has stopped. */
export const everyoneGoesOn: Invariant = (history, complain) => {
  if (!history.some(({ type }) => type === 'rest')) return;
  const { idle, slots } = stillBehind(history);
  for (const process of idle) complain(undefined, `${process} has claimed nothing since the healing`);
  if (slots < leastSlots) complain(undefined, `${slots} slots were fired since the healing`);
};

export function areAllBack(history: readonly HistoryEvent[]): boolean {
  const { idle, slots } = stillBehind(history);
  return idle.length === 0 && slots >= leastSlots;
}

/** Workers that live and have had nothing since the healing, and how many later slots have run. */
function stillBehind(history: readonly HistoryEvent[]): { idle: string[]; slots: number } {
  const healed = history.find((event) => event.type === 'healed');
  if (!healed) return { idle: [], slots: leastSlots };
  const { at: healedAt, wallAt } = healed;
  const restAt = history.find(({ type }) => type === 'rest')?.at ?? Infinity;
  const idle = new Set<string>();
  const slots = new Set<number>();
  for (const event of history) {
    if (event.at > restAt) break;
    if (event.type === 'up') idle.add(event.process);
    if (event.type === 'died' || event.type === 'exited' || event.type === 'stopping')
      idle.delete(event.process);
    if (event.type === 'claimed' && (event.sentAt ?? event.at) > healedAt) idle.delete(event.process);
    if (event.type === 'started' && event.slot !== undefined && event.slot > (wallAt ?? -Infinity))
      if (event.at > healedAt) slots.add(event.slot);
  }
  return { idle: [...idle], slots: wallAt === undefined ? leastSlots : slots.size };
}
