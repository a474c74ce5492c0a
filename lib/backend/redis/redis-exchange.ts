import type { Settlement } from '../../task/outcome.js';
import type { Claim, ClaimedTask, ClaimRequest } from '../backend.js';
import { claimedTask, unitSeparator } from './redis-records.js';

/** A call of lua/exchange.lua: what a busy runner mostly sends. */
export interface Exchange {
  readonly queues: readonly string[];
  readonly args: readonly string[];
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
  const texts = queues.map(({ limit: free }) => `${Math.min(free, limit)}${unitSeparator}`);
  for (const settlement of settlements) {
    const { queue, id, epoch } = settlement;
    if (!isPlain(settlement)) return undefined;
    let at = names.indexOf(queue);
    if (at < 0) {
      at = names.push(queue) - 1;
      texts.push(`-1${unitSeparator}`);
    }
    texts[at] += `${id}${unitSeparator}${epoch}${unitSeparator}`;
  }
  const look = mustLook || names.length > 1 ? 1 : 0;
  return {
    queues: names,
    args: [`${leaseMs}|${limit}|${turn % names.length}|${look}|${runner}`, ...texts],
    settlements:
      names.length > 1
        ? names.flatMap((name) => settlements.filter(({ queue }) => queue === name))
        : settlements,
  };
}

export function readExchange(
  { queues, settlements }: Exchange,
  request: ClaimRequest,
  reply: readonly string[],
): Exchanged {
  const tasks: ClaimedTask[] = [];
  for (let at = queues.length + 1; at < reply.length; at += 2)
    tasks.push(readClaimed(queues, reply[at]!, reply[at + 1]!));
  const oddQueues: string[] = [];
  const nextInMs = request.queues.map(({ queue }, index) => {
    const next = reply[index + 1]!;
    if (next === 'odd') oddQueues.push(queue);
    return next === 'inf' || next === 'odd' ? Infinity : Number(next);
  });
  const odd = reply[0] ? reply[0].split(',').slice(0, -1) : [];
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
    ...(rest.unanswered ? { unanswered: rest.unanswered } : {}),
  };
}

/** The success of a task that is not kept, told for the first time. */
function isPlain({ id, outcome, repeat }: Settlement): boolean {
  return outcome.type === 'succeeded' && outcome.keepMs === 0 && !repeat && !id.includes(unitSeparator);
}

/** queue|epoch|attempt|failures|dueAt|id: read by hand, since it is done for every task that runs. */
function readClaimed(queues: readonly string[], text: string, value: string): ClaimedTask {
  const epochAt = text.indexOf('|') + 1;
  const attemptAt = text.indexOf('|', epochAt) + 1;
  const failuresAt = text.indexOf('|', attemptAt) + 1;
  const dueAt = text.indexOf('|', failuresAt) + 1;
  const idAt = text.indexOf('|', dueAt) + 1;
  return claimedTask(
    value,
    queues[Number(text.slice(0, epochAt - 1))]!,
    text.slice(idAt),
    Number(text.slice(epochAt, attemptAt - 1)),
    Number(text.slice(attemptAt, failuresAt - 1)),
    Number(text.slice(failuresAt, dueAt - 1)),
    Number(text.slice(dueAt, idAt - 1)),
  );
}
