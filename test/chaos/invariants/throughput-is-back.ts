import type { HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** By then as much is done as before the fault, but for a tenth. */
export const throughputWithinMs = 30_000;
const share = 0.9;

/** Some time of the length of the steady one, which ends within the limit after the healing, has as many ends of runs. */
export const throughputIsBack: Invariant = (history, complain) => {
  if (history.some(({ type }) => type === 'rest') && !isBack(history))
    complain(
      undefined,
      `throughput was not back to ${100 * share} % within ${throughputWithinMs} ms of healing`,
    );
};

export function isBack(history: readonly HistoryEvent[]): boolean {
  const [steadyAt, faultAt, healedAt] = (['steady', 'fault', 'healed'] as const).map(
    (type) => history.find((event) => event.type === type)?.at,
  );
  if (steadyAt === undefined || faultAt === undefined || healedAt === undefined) return true;
  const ends = history.filter(({ type }) => type === 'ended').map(({ at }) => at);
  const spanMs = faultAt - steadyAt;
  const wanted = share * ends.filter((at) => at >= steadyAt && at < faultAt).length;
  if (wanted === 0) return true;
  const later = ends.filter((at) => at >= healedAt && at <= healedAt + throughputWithinMs);
  let first = 0;
  return later.some((at, last) => {
    while (later[first]! < at - spanMs) first++;
    return last - first + 1 >= wanted;
  });
}
