import type { Outcome, Settled, Settlement } from '../../task/outcome.js';
import type { TaskNotes } from '../../task/task-record.js';
import { byQueue, type Arguments } from './redis-arguments.js';
import { notesArguments } from './redis-notes.js';
import { keepText } from './redis-records.js';

/** A call of lua/settle.lua, or the part of one that is about outcomes. */
export interface SettleCall {
  readonly names: readonly string[];
  readonly args: Arguments;
  /** Which settlement each letter of the answer is about; none where it is about notes. */
  readonly order: readonly (number | undefined)[];
}

/** What the script is told of: an outcome, or what the run of the next one had still to say. */
interface Entry extends Settlement {
  readonly index?: number;
  readonly said?: TaskNotes;
}

export function settleCall(settlements: readonly Settlement[], cancelledKeepMs: number): SettleCall {
  const entries = settlements.some(hasNotes) ? settlements.flatMap(withNotes) : settlements;
  const { names, args, order } = byQueue(entries, entryArguments, 'numbered');
  args.unshift(names.length, keepText(cancelledKeepMs));
  if (entries === settlements) return { names, args, order };
  return { names, args, order: order.map((at) => (entries[at] as Entry).index) };
}

const settledBy: Readonly<Record<string, Settled>> = { s: 'settled', c: 'cancelled', l: 'lost' };

export function readSettled(order: readonly (number | undefined)[], letters: string): Settled[] {
  const answers: Settled[] = [];
  order.forEach((index, at) => {
    if (index !== undefined) answers[index] = settledBy[letters[at]!]!;
  });
  return answers;
}

/** Those of a task that vanishes are of no use. */
function hasNotes({ notes, outcome }: Settlement): boolean {
  return notes !== undefined && !('keepMs' in outcome && outcome.keepMs <= 0);
}

function withNotes(settlement: Settlement, index: number): Entry[] {
  const entry = { ...settlement, index };
  return hasNotes(settlement) ? [{ ...settlement, said: settlement.notes }, entry] : [entry];
}

function entryArguments({ id, epoch, outcome, repeat, said }: Entry): Arguments {
  if (said) return [id, epoch, 'n', ...notesArguments(said)];
  return [id, epoch, ...outcomeArguments(outcome, repeat ?? false)];
}

/** The three arguments by which a script is told of an outcome. */
function outcomeArguments(outcome: Outcome, isRepeat: boolean): [kind: string, a: string, b: string] {
  const [kind, a, b] = plainArguments(outcome);
  return [isRepeat ? kind.toUpperCase() : kind, a, b];
}

function plainArguments(outcome: Outcome): [string, string, string] {
  switch (outcome.type) {
    case 'succeeded':
      return ['s', keepText(outcome.keepMs), outcome.result === undefined ? '' : `+${outcome.result}`];
    case 'retry':
      return ['r', String(Math.round(outcome.delayMs)), JSON.stringify(outcome.error)];
    case 'dead':
      return ['d', keepText(outcome.keepMs), JSON.stringify(outcome.error)];
    case 'cancelled':
      return ['c', keepText(outcome.keepMs), outcome.reason];
    case 'snoozed':
    case 'conflict':
      return ['z', String(Math.round(outcome.delayMs)), ''];
    case 'handed-back':
      return ['h', '', ''];
    case 'parked':
      return ['x', outcome.fingerprint ?? '', outcome.reason];
  }
}
