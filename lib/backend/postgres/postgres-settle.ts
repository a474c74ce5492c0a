import type { Lease, Outcome, Settled, Settlement } from '../../task/outcome.js';
import { arrayText } from './postgres-text.js';

/** Outcomes that go with a claim: those that it need not know of go beside it, in bulk. */
export interface Parted {
  readonly done: readonly Settlement[];
  readonly others: readonly Settlement[];
  /** The answers of both as one list, in the order of what was parted. */
  readonly joined: (done: readonly Settled[], others: readonly Settled[]) => Settled[];
}

export function parted(settlements: readonly Settlement[]): Parted {
  const others = settlements.filter((settlement) => !isDone(settlement));
  if (others.length === 0) return { done: settlements, others, joined: (done) => [...done] };
  const done = settlements.filter(isDone);
  return {
    done,
    others,
    joined(ofDone, ofOthers) {
      const [one, other] = [ofDone.values(), ofOthers.values()];
      return settlements.map((settlement) => (isDone(settlement) ? one : other).next().value!);
    },
  };
}

/** What is done, as queues, ids, epochs and places. */
export function doneTexts(done: readonly Lease[]): string[] {
  const column = (of: (lease: Lease) => string | number) => arrayText(done.map(of));
  return [
    column(({ queue }) => queue),
    column(({ id }) => id),
    column(({ epoch }) => epoch),
    column(({ receipt }) => receipt!),
  ];
}

const settledBy: Readonly<Record<string, Settled>> = { s: 'settled', c: 'cancelled', l: 'lost', u: 'held' };

export function settledOf(letters: string): Settled[] {
  return Array.from(letters, (letter) => settledBy[letter]!);
}

/** Whether an outcome leaves something to do, now or later, that others must hear of. */
export function makesWork({ type }: Outcome): boolean {
  return type !== 'succeeded' && type !== 'dead' && type !== 'cancelled';
}

/** The success of a task that is not kept and has no lock, told for the first time: to a claim it makes no difference. */
function isDone({ outcome, receipt, repeat }: Settlement): boolean {
  return outcome.type === 'succeeded' && outcome.keepMs === 0 && receipt !== undefined && !repeat;
}
