import type { Lease, Outcome, Settled, Settlement } from '../../task/outcome.js';
import { settlementArgument } from './postgres-records.js';
import { arrayText } from './postgres-text.js';

/** Outcomes as `settle_all` gets them: the usual ones, in bulk, before the others. */
export interface SettleArguments {
  readonly done: readonly Lease[];
  readonly outcomes: Record<string, unknown>[] | undefined;
  /** The place of each in what was given. */
  readonly order: readonly number[];
}

export function settleArguments(settlements: readonly Settlement[]): SettleArguments {
  const done: Lease[] = [];
  const outcomes: Record<string, unknown>[] = [];
  const [first, second]: [number[], number[]] = [[], []];
  settlements.forEach((settlement, at) => {
    if (isDone(settlement)) {
      done.push(settlement);
      first.push(at);
    } else {
      outcomes.push(settlementArgument(settlement));
      second.push(at);
    }
  });
  return {
    done,
    outcomes: outcomes.length > 0 ? outcomes : undefined,
    order: [...first, ...second],
  };
}

/** What is done, as queues, ids and epochs. */
export function doneTexts(done: readonly Lease[]): [queues: string, ids: string, epochs: string] {
  const column = (of: (lease: Lease) => string | number) => arrayText(done.map(of));
  return [column(({ queue }) => queue), column(({ id }) => id), column(({ epoch }) => epoch)];
}

export function inOrder(order: Iterable<number>, letters: string): Settled[] {
  const answers: Settled[] = [];
  let at = 0;
  for (const index of order) answers[index] = letters[at++] === 's' ? 'settled' : 'lost';
  return answers;
}

/** Whether an outcome leaves something to do, now or later, that others must hear of. */
export function makesWork({ type }: Outcome): boolean {
  return type !== 'succeeded' && type !== 'dead' && type !== 'cancelled';
}

/** The success of a task that is not kept, told for the first time. */
function isDone({ outcome, repeat }: Settlement): boolean {
  return outcome.type === 'succeeded' && outcome.keepMs === 0 && !repeat;
}
