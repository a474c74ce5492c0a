import type { Lease, Settled, Settlement } from '../../task/outcome.js';
import type { NewTask, TaskNotes } from '../../task/task-record.js';
import type {
  Added,
  BackendSettings,
  Claim,
  ClaimRequest,
  JobFingerprint,
  Renewal,
  TaskStore,
  Unparked,
} from '../backend.js';
import { ClaimEdges } from './claim-edges.js';
import { DoneLine } from './done-line.js';
import { idsByQueue, readNext, type ExchangeAnswer } from './postgres-claim.js';
import { AddLine } from './postgres-add.js';
import { annotate } from './postgres-annotate.js';
import type { PostgresBell } from './postgres-bell.js';
import type { Folding } from './postgres-folding.js';
import type { PostgresFunctions } from './postgres-functions.js';
import type { KnownQueues } from './postgres-queues.js';
import { keepArgument, readClaimed, settlementArgument } from './postgres-records.js';
import { HeldUpError } from './postgres-refusal.js';
import { renew } from './postgres-renew.js';
import { doneTexts, makesWork, parted, settledOf } from './postgres-settle.js';
import { arrayText, recordsOf, toText } from './postgres-text.js';

/** How often a claim also forgets what is past its retention, and brings the counters up to date. */
const purgeEveryMs = 1_000;
/** How long an outcome waits for another transaction that has its task in hand. */
const patience = '200ms';

export interface PostgresTaskParts {
  /** For what runners ask; the application cannot take these connections away. */
  readonly hot: PostgresFunctions;
  /** For what callers ask. */
  readonly side: PostgresFunctions;
  readonly bell: PostgresBell;
  readonly queues: KnownQueues;
  readonly folding: Folding;
  readonly closed: AbortSignal;
  /** Whether the database dies with this process: a claim that it forgot would cost a task that kills its process no attempt. */
  readonly isInProcess: boolean;
}

/** The hot path: a method is one statement, but for a claim with outcomes beside it, which are two. */
export class PostgresTasks implements TaskStore {
  /** An exchange costs as much as some twenty tasks: halves of a hundred are no faster than the whole, and dearer. */
  readonly isWideFrom = 200;
  private turn = 0;
  private purgeAt = 0;
  private settling: Settling | undefined;
  private readonly edges = new ClaimEdges();
  private readonly doneLine = new DoneLine((done) => this.commitDone(done));
  private readonly plain: AddLine;
  private readonly keyed: AddLine;

  constructor(
    private readonly parts: PostgresTaskParts,
    private readonly settings: BackendSettings,
  ) {
    const line = () => new AddLine(parts.side, parts.queues, settings.enqueueTimeoutMs, parts.closed);
    // An open transaction of somebody's can keep an id or a lock for as long as it likes: plain tasks never wait for that.
    this.plain = line();
    this.keyed = line();
  }

  mayBeHeld(group: readonly NewTask[]): boolean {
    return !group.every(isPlain);
  }

  async add(groups: readonly (readonly NewTask[])[]): Promise<(Added[] | Error)[]> {
    const { bell, folding } = this.parts;
    return Promise.all(
      groups.map(async (group) => {
        if (group.length === 0) return [];
        const added = await (this.mayBeHeld(group) ? this.keyed : this.plain).add(group);
        folding.soon();
        for (const { queue, due } of group) if ('at' in due || due.inMs < 0) this.edges.forget(queue);
        if (!(added instanceof Error))
          bell.ringAll(group.filter((_, at) => isStored(added[at]!)).map(({ queue }) => queue));
        return added;
      }),
    );
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const settling = this.settling;
    this.settling = undefined;
    const { done, others, joined } = parted(settling?.settlements ?? []);
    // Beside the claim, which then waits neither for it nor for the disk.
    const doing = done.length > 0 ? this.settleDone(done) : undefined;
    const exchange = this.exchange(request, others);
    settling?.answer(
      Promise.all([
        doing ?? [],
        exchange.then(
          ([[letters]]) => this.settled(others, letters),
          // What holds up the outcomes must not hold up the claim.
          (error: Error) => (others.length > 0 ? this.settleAfter(error, others) : []),
        ),
      ]).then(([first, second]) => joined(first, second)),
    );
    let answer: ExchangeAnswer;
    let freesSlots = settling ? true : undefined;
    try {
      answer = await exchange;
    } catch (error) {
      if (!(error instanceof HeldUpError)) throw error;
      freesSlots = undefined;
      answer = await this.exchange(request, []);
    }
    const [[, ...nexts], ...tasks] = answer;
    const claim = {
      tasks: tasks.map((fields) => readClaimed(request.queues, fields)),
      nextInMs: nexts.map(readNext),
      freesSlots,
    };
    request.queues.forEach(({ queue }, index) => this.edges.learn(queue, nexts[index]!.split('!')[1]));
    return claim;
  }

  /** Waits for the end of the moment, in case a claim is to go with it. */
  settle(settlements: readonly Settlement[]): Promise<Settled[]> {
    return new Promise((resolve) => {
      const settling: Settling = { settlements, answer: resolve };
      this.sendAlone();
      this.settling = settling;
      queueMicrotask(() => this.settling === settling && this.sendAlone());
    });
  }

  renew(leases: readonly Lease[], leaseMs: number): Promise<Renewal> {
    return renew(this.parts.hot, leases, leaseMs);
  }

  annotate(notes: readonly (Lease & { readonly notes: TaskNotes })[]): Promise<void> {
    return annotate(this.parts.hot, notes);
  }

  async unpark(queue: string, definitions: readonly JobFingerprint[], after?: string): Promise<Unparked> {
    const told = definitions.map(({ job, fingerprint }) => [job, fingerprint]);
    const answer = await this.parts.hot.call('unpark_v1', { queue, definitions: told, after });
    const [count, next] = answer as [number, string | null];
    if (count > 0) this.parts.bell.ring(queue);
    return next === null ? { count } : { count, after: next };
  }

  private async exchange(request: ClaimRequest, outcomes: readonly Settlement[]): Promise<ExchangeAnswer> {
    const { queues, limit, leaseMs, runner, declares, holding } = request;
    const purges = performance.now() >= this.purgeAt;
    if (purges) {
      this.purgeAt = performance.now() + purgeEveryMs;
      this.parts.folding.isDone();
    }
    const asked = toText({
      limit,
      leaseMs,
      runner,
      turn: this.turn++ % Math.max(queues.length, 1),
      remember: purges ? this.rememberMs : undefined,
      declares,
      holding: holding && idsByQueue(holding),
      edges: this.edges.of(request),
      outcomes: outcomes.length > 0 ? outcomes.map(settlementArgument) : undefined,
      flush: this.parts.isInProcess || undefined,
      deadKeep: keepArgument(this.settings.deadKeepMs),
      cancelledKeep: keepArgument(this.settings.cancelledKeepMs),
    });
    const row = await this.parts.hot.ask('exchange_v1', [
      arrayText(queues.map(({ queue }) => queue)),
      arrayText(queues.map((one) => Math.min(one.limit, limit))),
      asked,
    ]);
    return recordsOf(row!.answer as string) as ExchangeAnswer;
  }

  /** A first try may still be on its way for a while after its last repeat. */
  private get rememberMs(): number {
    return 2 * this.settings.enqueueTimeoutMs + 60_000;
  }

  private sendAlone(): void {
    const { settling } = this;
    this.settling = undefined;
    if (settling) settling.answer(this.settleNow(settling.settlements));
  }

  /** What one of them holds up leaves the line, which others wait in. */
  private async settleDone(done: readonly Settlement[]): Promise<Settled[]> {
    try {
      return await this.doneLine.add(done);
    } catch (error) {
      return this.settleAfter(error as Error, done);
    }
  }

  private async commitDone(done: readonly Settlement[]): Promise<Settled[]> {
    const keep = keepArgument(this.settings.cancelledKeepMs);
    const row = await this.parts.hot.ask('settle_done_v1', [...doneTexts(done), `${keep ?? ''}`]);
    return settledOf(row!.answer as string);
  }

  private async settleNow(settlements: readonly Settlement[]): Promise<Settled[]> {
    if (settlements.length === 0) return [];
    const outcomes = settlements.map(settlementArgument);
    const cancelledKeep = keepArgument(this.settings.cancelledKeepMs);
    try {
      const letters = await this.parts.hot.call('settle_v1', { outcomes, cancelledKeep, patience });
      return this.settled(settlements, letters as string);
    } catch (error) {
      return this.settleAfter(error as Error, settlements);
    }
  }

  /** Where another transaction has one of the tasks in hand, each is settled by itself: the others need not wait for it. */
  private async settleAfter(error: Error, settlements: readonly Settlement[]): Promise<Settled[]> {
    if (!(error instanceof HeldUpError)) throw error;
    if (settlements.length === 1) return ['unanswered'];
    const answers: Settled[] = [];
    for (const one of settlements) answers.push((await this.settleNow([one]))[0]!);
    return answers;
  }

  private settled(all: readonly Settlement[], letters: string): Settled[] {
    const answers = settledOf(letters);
    const queues = all
      .filter(({ outcome }, at) => answers[at] === 'settled' && makesWork(outcome))
      .map(({ queue }) => queue);
    for (const queue of queues) this.edges.forget(queue);
    this.parts.bell.ringAll(queues);
    return answers;
  }
}

/** Outcomes that wait for the end of the moment. */
interface Settling {
  readonly settlements: readonly Settlement[];
  readonly answer: (settled: Promise<Settled[]>) => void;
}

/** A fresh task without an id of the caller's or a lock: nobody else can be at it. */
function isPlain({ id, token, lock, replace }: NewTask): boolean {
  return id === token && !lock && !replace;
}

function isStored({ status }: Added): boolean {
  return status === 'enqueued' || status === 'replaced';
}
