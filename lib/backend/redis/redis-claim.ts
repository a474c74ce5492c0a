import type { BackendSettings, Claim, ClaimedTask, ClaimRequest, RecoveredRun } from '../backend.js';
import type { Arguments } from './redis-arguments.js';
import { keepText, readClaimed, readRecovered } from './redis-records.js';

/** The arguments of lua/claim.lua; `called` are the queues whose keys the call names. */
export function claimArguments(
  { queues, limit, leaseMs, runner, declares = [], holding }: ClaimRequest,
  called: readonly string[],
  turn: number,
  settings: BackendSettings,
): Arguments {
  const args: Arguments = [
    leaseMs,
    limit,
    runner,
    turn % Math.max(queues.length, 1),
    keepText(settings.deadKeepMs),
    keepText(settings.cancelledKeepMs),
    declares.length,
    ...declares,
    queues.length,
    holding ? 1 : 0,
  ];
  for (const { queue, limit: most } of queues) {
    args.push(called.indexOf(queue) + 1, Number.isFinite(most) ? most : limit);
    if (!holding) continue;
    const held = holding.filter((ref) => ref.queue === queue).map(({ id }) => id);
    args.push(held.length, ...held);
  }
  return args;
}

export function readClaim(names: readonly string[], reply: readonly unknown[]): Claim {
  const tasks: ClaimedTask[] = [];
  let recovered: RecoveredRun[] | undefined;
  for (let at = names.length; at < reply.length; at += 8) {
    const queue = names[Number.parseInt(reply[at] as string, 10)]!;
    if (String(reply[at]).endsWith('!')) (recovered ??= []).push(readRecovered(queue, reply, at));
    else tasks.push(readClaimed(queue, reply, at));
  }
  return {
    tasks,
    nextInMs: names.map((_, index) => (reply[index] === 'inf' ? Infinity : Number(reply[index]))),
    ...(recovered && { recovered }),
  };
}
