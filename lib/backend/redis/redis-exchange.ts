import type { Settlement } from '../../task/outcome.js';
import type { Claim, ClaimedTask, ClaimRequest } from '../backend.js';
import { claimedTask, groupSeparator } from './redis-records.js';

/** A call of lua/exchange.lua: what a busy runner mostly sends. */
export interface Exchange {
  readonly queues: readonly string[];
  readonly args: readonly string[];
  /** The number of the queue whose tasks are answered first. */
  readonly start: number;
  /** The settlements in the order in which the call brings them. */
  readonly settlements: readonly Settlement[];
}

export interface Exchanged {
  readonly claim: Claim;
  /** Successes that the short way leaves to the long one. */
  readonly oddSettlements: readonly Settlement[];
  /** Asked queues that only the long way can tell of. */
  readonly oddQueues: readonly string[];
}

/** More would be too many for one command of the script. */
const most = 1_000;

/** The short way for these outcomes and this claim; undefined where they need the long one. */
export function exchangeOf(
  settlements: readonly Settlement[],
  request: ClaimRequest,
  turn: number,
  mustLook: boolean,
): Exchange | undefined {
  const { queues, limit, leaseMs, runner, declares, holding } = request;
  if (declares || holding || limit > most || settlements.length > most) return undefined;
  const names = queues.map(({ queue }) => queue);
  const texts = queues.map(({ limit: free }) => `${Math.min(free, limit)}${groupSeparator}`);
  for (const settlement of settlements) {
    const { queue, id, receipt = noReceipt(id) } = settlement;
    if (!isPlain(settlement)) return undefined;
    let at = names.indexOf(queue);
    if (at < 0) {
      at = names.push(queue) - 1;
      texts.push(`-1${groupSeparator}`);
    }
    texts[at] += receipt;
  }
  const look = mustLook || names.length > 1 ? 1 : 0;
  const start = turn % names.length;
  return {
    queues: names,
    start,
    args: [`${leaseMs}|${limit}|${start}|${look}|${runner}`, ...texts],
    settlements:
      names.length > 1
        ? names.flatMap((name) => settlements.filter(({ queue }) => queue === name))
        : settlements,
  };
}

/** Reads bytes and not texts: a slow task must not keep what was said of all that were claimed with it. */
export function readExchange(
  { queues, start, settlements }: Exchange,
  request: ClaimRequest,
  reply: readonly Buffer[],
): Exchanged {
  const [bytes] = reply as [Buffer];
  const text = bytes.toString('latin1');
  let at = text.indexOf(groupSeparator);
  const odd = at > 0 ? text.slice(0, at - 1).split(',') : [];
  const oddQueues: string[] = [];
  const nextInMs: number[] = [];
  const counts = queues.map((queue, index) => {
    const comma = text.indexOf(',', at);
    const next = text.slice(at + 1, comma);
    at = text.indexOf(groupSeparator, comma);
    if (next === 'odd') oddQueues.push(queue);
    if (index < request.queues.length)
      nextInMs.push(next === 'inf' || next === 'odd' ? Infinity : Number(next));
    return Number(text.slice(comma + 1, at));
  });
  const tasks: ClaimedTask[] = [];
  for (let turn = 0; turn < queues.length; turn++) {
    const index = (start + turn) % queues.length;
    for (let left = counts[index]!; left > 0; left--) {
      const runAt = text.indexOf(groupSeparator, at + 1) + 1;
      const end = text.indexOf(groupSeparator, runAt) + 1;
      const receipt = bytes.toString('utf8', at + 1, end);
      tasks.push(readClaimed(queues[index]!, receipt, reply[tasks.length + 1]!.toString()));
      at = end - 1;
    }
  }
  return {
    claim: { tasks, nextInMs },
    oddSettlements: odd.map((number) => settlements[Number(number) - 1]!),
    oddQueues,
  };
}

/** What the short way and, for its odd queues, the long one have answered. */
export function joined(
  request: ClaimRequest,
  short: Claim,
  rest: Claim,
  oddQueues: readonly string[],
): Claim {
  return {
    tasks: [...short.tasks, ...rest.tasks],
    nextInMs: request.queues.map(({ queue }, index) => {
      const at = oddQueues.indexOf(queue);
      return at < 0 ? short.nextInMs[index]! : rest.nextInMs[at]!;
    }),
    ...(rest.recovered && { recovered: rest.recovered }),
    ...(rest.unanswered ? { unanswered: rest.unanswered } : {}),
  };
}

/** The success of a task that is not kept, told for the first time. */
function isPlain({ id, outcome, repeat, receipt }: Settlement): boolean {
  const isSayable = receipt !== undefined || !id.includes(groupSeparator);
  return outcome.type === 'succeeded' && outcome.keepMs === 0 && !repeat && isSayable;
}

/** For a task that was claimed the long way: no run is like this one, so the script leaves it to that way again. */
function noReceipt(id: string): string {
  return `:${id}${groupSeparator}${groupSeparator}`;
}

/**
 * A receipt is what the store has of a claimed task, its member and its run (see lua/base.lua): as it comes back with the
 * success, so it must still stand there. Read by hand, since that is done for every task that runs.
 */
function readClaimed(queue: string, receipt: string, value: string): ClaimedTask {
  const idEnd = receipt.indexOf(groupSeparator);
  const attemptAt = receipt.indexOf('|', idEnd + 3) + 1;
  const failuresAt = receipt.indexOf('|', attemptAt) + 1;
  const dueAt = receipt.indexOf('|', failuresAt) + 1;
  const failures = digits(receipt, failuresAt, dueAt - 1);
  return claimedTask(
    value,
    queue,
    receipt.slice(receipt.indexOf(':') + 1, idEnd),
    digits(receipt, idEnd + 3, attemptAt - 1),
    digits(receipt, attemptAt, failuresAt - 1),
    failures,
    digits(receipt, dueAt, receipt.indexOf('|', dueAt)),
    undefined,
    // The errors of one that failed have to go with it, which only the long way does.
    failures === 0 ? receipt : undefined,
  );
}

/** The number that is written there: sixteen digits are read faster so than as a text of their own. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - 48;
  return number;
}
