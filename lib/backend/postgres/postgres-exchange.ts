import type { Lease, Settlement } from '../../task/outcome.js';
import type { BackendSettings, Claim, ClaimRequest } from '../backend.js';
import { ClaimEdges } from './claim-edges.js';
import type { Folding } from './postgres-folding.js';
import type { PostgresFunctions, Sequel } from './postgres-functions.js';
import { Purging } from './postgres-purging.js';
import {
  isRecovered,
  keepArgument,
  readClaimed,
  readRecovered,
  settlementArgument,
} from './postgres-records.js';
import { arrayText, recordsOf, toText } from './postgres-text.js';
import { RunLengths } from './run-lengths.js';

/** What an exchange answers: letters and nexts, then the runs that were lost, and the tasks. */
export type ExchangeAnswer = [[letters: string, ...nexts: string[]], ...tasks: string[][]];

interface ExchangeParts {
  readonly hot: PostgresFunctions;
  readonly folding: Folding;
  readonly closed: AbortSignal;
  /** Whether the sessions have the settings that claims need. */
  readonly hasHotSessions: boolean;
  /** Whether the database dies with this process: a claim that it forgot would cost a task that kills its process no attempt. */
  readonly isInProcess: boolean;
}

/** A claim, with the outcomes that it must know of: what is asked of the database, and what its answer means. */
export class PostgresExchange {
  private turn = 0;
  private readonly edges = new ClaimEdges();
  private readonly lengths = new RunLengths();
  private readonly purging: Purging;

  constructor(
    private readonly parts: ExchangeParts,
    private readonly settings: BackendSettings,
  ) {
    // A first try may still be on its way for a while after its last repeat.
    const rememberMs = 2 * settings.enqueueTimeoutMs + 60_000;
    this.purging = new Purging(parts.hot, parts.folding, rememberMs, parts.closed);
  }

  /** These successes are about to be stored. */
  done(runs: readonly Lease[]): void {
    this.lengths.done(runs);
  }

  /** Something may have come to lie before what the latest claim from a queue has taken. */
  forget(queue: string): void {
    this.edges.forget(queue);
  }

  async ask(
    request: ClaimRequest,
    outcomes: readonly Settlement[],
    sequel?: Sequel,
  ): Promise<ExchangeAnswer> {
    const edges = this.edges.of(request);
    const isShort = outcomes.length === 0 && isPlainClaim(request) && !this.parts.isInProcess;
    const answer = await (isShort
      ? this.claimPlain(request, edges, sequel)
      : this.claimWith(request, outcomes, edges, sequel));
    this.purging.soon(request.queues);
    return answer;
  }

  private claimWith(
    request: ClaimRequest,
    outcomes: readonly Settlement[],
    edges: Readonly<Record<string, string>> | undefined,
    sequel: Sequel | undefined,
  ): Promise<ExchangeAnswer> {
    const { queues, limit, leaseMs, runner, declares, holding } = request;
    const asked = toText({
      limit,
      leaseMs,
      runner,
      stays: queues.every(({ queue }) => this.lengths.areShort(queue)) || undefined,
      turn: this.turn++ % Math.max(queues.length, 1),
      declares,
      holding: holding && idsByQueue(holding),
      edges,
      outcomes: outcomes.length > 0 ? outcomes.map(settlementArgument) : undefined,
      flush: this.parts.isInProcess || undefined,
      deadKeep: keepArgument(this.settings.deadKeepMs),
      cancelledKeep: keepArgument(this.settings.cancelledKeepMs),
    });
    const names = arrayText(queues.map(({ queue }) => queue));
    const room = arrayText(queues.map((one) => Math.min(one.limit, limit)));
    return this.askForTasks('exchange_v1', [names, room, asked], sequel);
  }

  /** What a busy runner asks most, by a shorter way. */
  private claimPlain(
    { queues, limit, leaseMs, runner }: ClaimRequest,
    edges: Readonly<Record<string, string>> | undefined,
    sequel: Sequel | undefined,
  ): Promise<ExchangeAnswer> {
    const { deadKeepMs, cancelledKeepMs } = this.settings;
    const [{ queue, limit: room }] = queues as [ClaimRequest['queues'][number]];
    const texts = [
      queue,
      `${Math.min(room, limit)}`,
      `${leaseMs}`,
      runner,
      `${keepArgument(deadKeepMs) ?? ''}`,
      `${keepArgument(cancelledKeepMs) ?? ''}`,
      edges?.[queue] ?? '',
      `${this.lengths.areShort(queue)}`,
    ];
    const name = this.parts.hasHotSessions ? 'claim_here_v1' : 'claim_plain_v1';
    return this.askForTasks(name, texts, sequel);
  }

  private async askForTasks(
    name: string,
    texts: readonly string[],
    sequel: Sequel | undefined,
  ): Promise<ExchangeAnswer> {
    const row = await this.parts.hot.ask(name, texts, undefined, sequel);
    return recordsOf(row!.answer as string) as ExchangeAnswer;
  }

  /** What was answered, as a runner is to know it. */
  read(
    request: ClaimRequest,
    [[, ...nexts], ...records]: ExchangeAnswer,
    freesSlots: Claim['freesSlots'],
  ): Claim {
    const { queues } = request;
    // Those that were lost come first.
    const first = records.findIndex((fields) => !isRecovered(fields));
    const lost = records.splice(0, first < 0 ? records.length : first);
    const tasks = records.map((fields) => readClaimed(queues, fields));
    // A claim draws one for all.
    if (tasks.length > 0) this.lengths.claimed(tasks[0]!.epoch);
    queues.forEach(({ queue }, index) => this.edges.learn(request, queue, nexts[index]!.split('!')[1]));
    return {
      tasks,
      nextInMs: nexts.map(readNext),
      freesSlots,
      ...(lost.length > 0 && { recovered: lost.map((fields) => readRecovered(queues, fields)) }),
    };
  }
}

/** Of one queue, which asks for nothing but tasks that wait. */
function isPlainClaim({ queues, declares, holding }: ClaimRequest): boolean {
  return queues.length === 1 && !declares && !holding;
}

/** Behind it may stand an edge. */
function readNext(next: string): number {
  const inMs = Number.parseInt(next, 10);
  return Number.isNaN(inMs) ? Infinity : inMs;
}

function idsByQueue(
  refs: readonly { readonly queue: string; readonly id: string }[],
): Record<string, string[]> {
  const ids: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { queue, id } of refs) (ids[queue] ??= []).push(id);
  return ids;
}
