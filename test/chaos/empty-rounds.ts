import type { HistoryEvent } from '../history/history-event.js';
import type { Violation } from '../history/violation.js';
import type { Fault } from './faults/fault.js';
import type { Pace } from './pace.js';

/** A round in which next to nothing was done, or in which the fault did not show, proves nothing. */
export function emptyOf(
  history: readonly HistoryEvent[],
  { happened }: Pick<Fault, 'happened'>,
  { least }: Pick<Pace, 'least'>,
): Violation[] {
  const [steadyAt, faultAt] = (['steady', 'fault'] as const).map(
    (type) => history.find((event) => event.type === type)?.at ?? Infinity,
  );
  const tasks = history.filter(({ type }) => type === 'listed').length;
  const runs = history.filter(({ type, at }) => type === 'ended' && at >= steadyAt! && at <= faultAt!).length;
  const why = [
    happened(history),
    tasks < least.tasks ? `there were ${tasks} tasks, not ${least.tasks}` : undefined,
    runs < least.runs ? `${runs} runs were done before the fault, not ${least.runs}` : undefined,
  ];
  return why
    .filter((what) => what !== undefined)
    .map((what) => ({ invariant: 'the fault has happened, while work went on', what, line: 0 }));
}
