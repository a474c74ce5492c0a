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
import { DoneLine } from './done-line.js';
import { AddLine } from './postgres-add.js';
import { isPlain } from './plain-task.js';
import { annotate } from './postgres-annotate.js';
import type { PostgresBell } from './postgres-bell.js';
import type { Folding } from './postgres-folding.js';
import type { PostgresFunctions, Sequel } from './postgres-functions.js';
import type { KnownQueues } from './postgres-queues.js';
import { keepArgument, settlementArgument } from './postgres-records.js';
import { HeldUpError, mayPassNow } from './postgres-refusal.js';
import { renew } from './postgres-renew.js';
import { PostgresExchange, type ExchangeAnswer } from './postgres-exchange.js';
import { doneTexts, makesWork, parted, settledOf } from './postgres-settle.js';

export interface PostgresTaskParts {
  /** For what runners ask; the application cannot take these connections away. */
  readonly hot: PostgresFunctions;
  /** For what callers ask. */
  readonly side: PostgresFunctions;
  readonly bell: PostgresBell;
  /** Whether sessions have the settings that claims need, and outcomes leave right behind a claim, on its connection, not beside it. */
  readonly hasHotSessions: boolean;
  /** Whether the bell rings right behind what was stored, and not after its answer. */
  readonly isSidePipelined: boolean;
  readonly queues: KnownQueues;
  readonly folding: Folding;
  readonly closed: AbortSignal;
  /** Whether the database dies with this process: a claim that it forgot would cost a task that kills its process no attempt. */
  readonly isInProcess: boolean;
}

/** Each keeps a connection until the disk has it: with more on their way, a slow disk would leave none for claims. */
const mostFollowers = 3;

/** The hot path: a method is one statement, but for a claim with outcomes beside it, which are two. */
export class PostgresTasks implements TaskStore {
  /** An exchange costs as much as some twenty tasks: halves of a hundred are no faster than the whole, and dearer. */
  readonly isWideFrom = 200;
  private settling: Settling | undefined;
  /** Successes that left behind a claim and are not answered. */
  private followers = 0;
  private readonly exchange: PostgresExchange;
  private readonly doneLine = new DoneLine((done) => this.commitDone(done));
  private readonly plain: AddLine;
  private readonly keyed: AddLine;

  constructor(
    private readonly parts: PostgresTaskParts,
    private readonly settings: BackendSettings,
  ) {
    this.exchange = new PostgresExchange(parts, settings);
    const line = (mayBeHeld: boolean, ring?: PostgresBell['behind']) =>
      new AddLine(parts.side, parts.queues, settings.enqueueTimeoutMs, parts.closed, mayBeHeld, ring);
    // An open transaction of somebody's can keep an id or a lock for as long as it likes: plain tasks never wait for that.
    this.plain = line(false, parts.isSidePipelined ? (queues) => parts.bell.behind(queues) : undefined);
    this.keyed = line(true);
  }

  mayBeHeld(group: readonly NewTask[]): boolean {
    return !group.every(isPlain);
  }

  async add(groups: readonly (readonly NewTask[])[]): Promise<(Added[] | Error)[]> {
    const { bell, folding, isSidePipelined } = this.parts;
    return Promise.all(
      groups.map(async (group) => {
        if (group.length === 0) return [];
        const mayBeHeld = this.mayBeHeld(group);
        const added = await (mayBeHeld ? this.keyed : this.plain).add(group);
        folding.soon();
        for (const { queue, due } of group) if ('at' in due || due.inMs < 0) this.exchange.forget(queue);
        if (added instanceof Error) return added;
        const queues = group.filter((_, at) => isStored(added[at]!)).map(({ queue }) => queue);
        if (isSidePipelined && !mayBeHeld) bell.ringHere(queues);
        else bell.ringAll(queues);
        return added;
      }),
    );
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const settling = this.settling;
    this.settling = undefined;
    const { done, others, joined } = parted(settling?.settlements ?? []);
    if (done.length > 0) this.exchange.done(done);
    // The claim leaves first, since slots wait for it alone; it waits neither for these nor for the disk.
    const mayFollow = this.parts.hasHotSessions && this.followers < mostFollowers;
    const behind = done.length > 0 && mayFollow ? this.behindClaim(done) : undefined;
    const exchange = this.exchange.ask(request, others, behind?.sequel);
    const doing = behind?.settled ?? (done.length > 0 ? this.settleDone(done) : undefined);
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
      // The slot of an outcome whose task somebody has in hand stays taken.
      if (answer[0][0].includes('u')) freesSlots = undefined;
    } catch (error) {
      if (!(error instanceof HeldUpError)) throw error;
      freesSlots = undefined;
      answer = await this.exchange.ask(request, []);
    }
    return this.exchange.read(request, answer, freesSlots);
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
    if (count > 0) {
      this.exchange.forget(queue);
      this.parts.bell.ring(queue);
    }
    return next === null ? { count } : { count, after: next };
  }

  private sendAlone(): void {
    const { settling } = this;
    this.settling = undefined;
    if (settling) settling.answer(this.settleNow(settling.settlements));
  }

  /** What somebody has in hand leaves the line, which others wait in. */
  private async settleDone(done: readonly Settlement[]): Promise<Settled[]> {
    try {
      return await this.doneLine.add(done);
    } catch (error) {
      return this.settleAfter(error as Error, done);
    }
  }

  private async commitDone(done: readonly Settlement[]): Promise<Settled[]> {
    const row = await this.parts.hot.ask(this.settleDoneName, this.doneArguments(done));
    return settledOf(row!.answer as string);
  }

  /** On the connection of the claim: to wake another process of the server for them would cost as much as fifty tasks. */
  private behindClaim(done: readonly Settlement[]): { sequel: Sequel; settled: Promise<Settled[]> } {
    let sequel: Sequel;
    const answered = new Promise<Settled[]>((resolve, reject) => {
      sequel = {
        statement: this.settleDoneName,
        texts: () => this.doneArguments(done),
        // What has been settled would be lost when it is told again.
        isOnce: true,
        answered: (row) => resolve(settledOf(row!.answer as string)),
        failed: reject,
      };
    });
    return { sequel: sequel!, settled: this.settledBehind(answered, done) };
  }

  private async settledBehind(answered: Promise<Settled[]>, done: readonly Settlement[]): Promise<Settled[]> {
    this.followers++;
    try {
      return await answered;
    } catch (error) {
      return await (mayPassNow(error) ? this.settleDone(done) : this.settleAfter(error as Error, done));
    } finally {
      this.followers--;
    }
  }

  private get settleDoneName(): string {
    return this.parts.hasHotSessions ? 'settle_done_here_v1' : 'settle_done_v1';
  }

  private doneArguments(done: readonly Settlement[]): string[] {
    return [...doneTexts(done), `${keepArgument(this.settings.cancelledKeepMs) ?? ''}`];
  }

  private async settleNow(settlements: readonly Settlement[]): Promise<Settled[]> {
    if (settlements.length === 0) return [];
    const outcomes = settlements.map(settlementArgument);
    const cancelledKeep = keepArgument(this.settings.cancelledKeepMs);
    try {
      const letters = await this.parts.hot.call('settle_v1', { outcomes, cancelledKeep });
      return this.settled(settlements, letters as string);
    } catch (error) {
      // No single task: the table itself.
      if (error instanceof HeldUpError) return settlements.map(() => 'held');
      throw error;
    }
  }

  /** Those that nobody has in hand are settled after all. */
  private async settleAfter(error: Error, settlements: readonly Settlement[]): Promise<Settled[]> {
    if (!(error instanceof HeldUpError)) throw error;
    return this.settleNow(settlements);
  }

  private settled(all: readonly Settlement[], letters: string): Settled[] {
    const answers = settledOf(letters);
    const queues = all
      .filter(({ outcome }, at) => answers[at] === 'settled' && makesWork(outcome))
      .map(({ queue }) => queue);
    for (const queue of queues) this.exchange.forget(queue);
    this.parts.bell.ringAll(queues);
    return answers;
  }
}

/** Outcomes that wait for the end of the moment. */
interface Settling {
  readonly settlements: readonly Settlement[];
  readonly answer: (settled: Promise<Settled[]>) => void;
}

function isStored({ status }: Added): boolean {
  return status === 'enqueued' || status === 'replaced';
}
