import type { Outcome, Settled, Settlement } from '../../task/outcome.js';
import { settlementArgument } from './postgres-records.js';

/** Outcomes as `settle_all` gets them: the usual ones, in bulk, before the others. */
export interface SettleArguments {
  readonly done: { readonly queue: string; readonly id: string; readonly epoch: number }[] | undefined;
  readonly outcomes: Record<string, unknown>[] | undefined;
  /** The place of each in what was given. */
  readonly order: readonly number[];
}

export function settleArguments(settlements: readonly Settlement[]): SettleArguments {
  const done: NonNullable<SettleArguments['done']> = [];
  const outcomes: Record<string, unknown>[] = [];
  const [first, second]: [number[], number[]] = [[], []];
  settlements.forEach((settlement, at) => {
    const { queue, id, epoch } = settlement;
    if (isDone(settlement)) {
      done.push({ queue, id, epoch });
      first.push(at);
    } else {
      outcomes.push(settlementArgument(settlement));
      second.push(at);
    }
  });
  return {
    done: done.length > 0 ? done : undefined,
    outcomes: outcomes.length > 0 ? outcomes : undefined,
    order: [...first, ...second],
  };
}

export function inOrder(order: readonly number[], letters: string): Settled[] {
  const answers: Settled[] = [];
  order.forEach((index, at) => (answers[index] = letters[at] === 's' ? 'settled' : 'lost'));
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
