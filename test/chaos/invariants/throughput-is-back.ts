import type { HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** By then as much is done as before the fault, but for a tenth. */
export const throughputWithinMs = 30_000;
const share = 0.9;

/** A producer that asks for less than this share, since the machine is busy, shows nothing. */
const leastAsked = 0.25;

/**
 * Some time of the length of the steady one, which ends within the limit after the healing, has as many ends of runs, in
 * proportion to what was asked for in it: a busy machine slows the producer as well, which is no fault of the store's.
 */
export const throughputIsBack: Invariant = (history, complain) => {
  if (history.some(({ type }) => type === 'rest') && !isBack(history))
    complain(
      undefined,
      `throughput was not back to ${100 * share} % within ${throughputWithinMs} ms of healing`,
    );
};

export function isBack(history: readonly HistoryEvent[]): boolean {
  return backAfterMs(history) !== undefined;
}

/** How long after the healing that time ends; 0 where there is nothing to compare with. */
export function backAfterMs(history: readonly HistoryEvent[]): number | undefined {
  const [steadyAt, faultAt, healedAt] = (['steady', 'fault', 'healed'] as const).map(
    (type) => history.find((event) => event.type === type)?.at,
  );
  if (steadyAt === undefined || faultAt === undefined || healedAt === undefined) return 0;
  const timesOf = (type: HistoryEvent['type']) =>
    history.filter((event) => event.type === type).map(({ at }) => at);
  const [ends, asked] = [timesOf('ended'), timesOf('enqueue')];
  const within = (times: readonly number[], from: number, to: number) =>
    times.filter((at) => at >= from && at <= to).length;
  const [done, wished] = [within(ends, steadyAt, faultAt), within(asked, steadyAt, faultAt)];
  if (done === 0) return 0;
  const spanMs = faultAt - steadyAt;
  const first = ends
    .filter((at) => at >= healedAt && at <= healedAt + throughputWithinMs)
    .find((at) => {
      const from = Math.max(at - spanMs, healedAt);
      const part = wished === 0 ? 1 : Math.min(within(asked, from, at) / wished, 1);
      return part >= leastAsked && within(ends, from, at) >= share * part * done;
    });
  return first === undefined ? undefined : first - healedAt;
}
