import type { Claim } from '../backend/backend.js';
import type { AskedQueue, Asking } from './asking.js';
import type { QueueSettings } from './runner-settings.js';

/** One queue as a runner sees it. */
interface Line {
  readonly name: string;
  readonly concurrency: number;
  used: number;
  /** When there may be something to claim; Infinity: not before a ring. */
  lookAt: number;
  /** A bell that rang while a claim was under way: its answer may be older than the ring. */
  isRung: boolean;
  /** The last answer said that there is more. */
  isBusy: boolean;
  /** How many claims are under way that ask for its tasks, and slots that they may fill beyond those they set free. */
  askedBy: number;
  reserved: number;
  /** The latest asking whose answer is known: an older one must not overrule it. */
  answeredUpTo: number;
  /** When the store last answered what there is for it, and how often it has. */
  lookedAt: number;
  looks: number;
}

/** What a runner has seen of a queue. */
export interface Looked {
  readonly queue: string;
  readonly lookedAt: number;
  readonly looks: number;
  /** There is no slot for more of it: it is not looked at. */
  readonly isFull: boolean;
}

/** From so many slots on the runner and the store have work at the same time, half of the slots each, unless the store says otherwise. */
const wideFrom = 8;

/** With a quarter of the slots, or as many as this, a second exchange beside one that is under way is worth its round trip. */
const worthIt = 8;

// Infinity is allowed as concurrency, but one claim must stay a bounded piece of work.
const mostPerClaim = 1_000;

/** Counts the slots and knows which queue to ask when: after its bell, at its next time, or on a sweep. */
export class Intake {
  private readonly lines: Map<string, Line>;
  private usedInAll = 0;
  private reserved = 0;
  private asked = 0;
  private readonly listeners = new Set<() => void>();
  /** Whether half of the slots are enough for an exchange. */
  readonly isWide: boolean;
  /** Slots that one exchange frees or fills at most. */
  readonly mostAtOnce: number;
  /** Outcomes or free slots that make an exchange beside another worth while. */
  readonly leastBeside: number;

  /** Outcomes that may wait for the store's disk at a time: should it crash, they are done again. */
  readonly mostUnacknowledged: number;

  constructor(
    queues: readonly QueueSettings[],
    private readonly concurrency: number,
    private readonly batch: number,
    /** Until when a queue is left alone, because its part of the store gives no answer. */
    private readonly pausedUntil: (queue: string) => number,
    isWideFrom = wideFrom,
  ) {
    this.isWide = concurrency >= isWideFrom;
    this.mostAtOnce = this.isWide ? Math.ceil(concurrency / 2) : concurrency;
    this.mostUnacknowledged = Math.min(2 * concurrency, 2 * mostPerClaim);
    this.leastBeside = Math.min(Math.ceil(concurrency / 4), worthIt);
    this.lines = new Map(
      queues.map(({ name, concurrency }) => [
        name,
        {
          name,
          concurrency,
          used: 0,
          lookAt: Infinity,
          isRung: false,
          isBusy: false,
          askedBy: 0,
          reserved: 0,
          answeredUpTo: 0,
          lookedAt: -Infinity,
          looks: 0,
        },
      ]),
    );
  }

  /** Every slot of the process is taken. */
  get isFull(): boolean {
    return this.usedInAll >= this.concurrency;
  }

  get used(): number {
    return this.usedInAll;
  }

  get looked(): Looked[] {
    return Array.from(this.lines.values(), ({ name, lookedAt, looks, used, concurrency }) => {
      return { queue: name, lookedAt, looks, isFull: this.isFull || used >= concurrency };
    });
  }

  get queues(): string[] {
    return [...this.lines.keys()];
  }

  ring(queue: string): void {
    const line = this.lines.get(queue);
    if (!line) return;
    line.isRung = true;
    line.lookAt = -Infinity;
  }

  sweep(): void {
    for (const { name } of this.lines.values()) this.ring(name);
  }

  /** A moment at which a queue has work, known before the store says so. */
  expect(queue: string, at: number): void {
    const line = this.lines.get(queue);
    if (line) line.lookAt = Math.min(line.lookAt, at);
  }

  /**
   * What is to be asked now. `leaving` are slots that this same exchange sets free; queues `inAnyCase` are asked even where
   * they are full, for nothing more.
   */
  ask(now: number, leaving: ReadonlyMap<string, number>, inAnyCase: ReadonlySet<string>): Asking | undefined {
    let leavingInAll = 0;
    for (const count of leaving.values()) leavingInAll += count;
    const free = Math.max(this.free + leavingInAll, 0);
    const limit = Math.min(free, this.mostAtOnce, this.batch, mostPerClaim);
    const queues: AskedQueue[] = [];
    for (const line of this.lines.values()) {
      if (this.pausedUntil(line.name) > now) continue;
      const leavingHere = leaving.get(line.name) ?? 0;
      const freeHere = Math.max(line.concurrency - line.used - line.reserved + leavingHere, 0);
      const isToAsk = line.lookAt <= now && (line.askedBy === 0 || line.isBusy);
      const most = isToAsk ? Math.min(freeHere, limit) : 0;
      if (most === 0 && !inAnyCase.has(line.name)) continue;
      if (most > 0) line.isRung = false;
      line.askedBy++;
      const reservedHere = Math.max(most - leavingHere, 0);
      line.reserved += reservedHere;
      queues.push({ queue: line.name, limit: most, reserved: reservedHere });
    }
    if (queues.length === 0) return undefined;
    const reserved = Math.max(limit - leavingInAll, 0);
    this.reserved += reserved;
    return { number: ++this.asked, queues, limit, reserved, isAnswered: false };
  }

  /**
   * A slot that an asking was to set free is not free yet, since its outcome was not stored. The next try may well be quicker than
   * the answer to the asking: so that nobody else asks for that slot then, it is reserved.
   */
  notYetFree(asking: Asking, queue: string): void {
    if (asking.isAnswered) return;
    if (asking.reserved < asking.limit) {
      asking.reserved++;
      this.reserved++;
    }
    const asked = asking.queues.find((one) => one.queue === queue);
    if (!asked || asked.reserved >= asked.limit) return;
    asked.reserved++;
    this.lines.get(queue)!.reserved++;
  }

  answered(asking: Asking, claim: Claim, now: number): void {
    const unanswered = claim.unanswered && new Set(claim.unanswered.map(({ queue }) => queue));
    asking.isAnswered = true;
    this.reserved -= asking.reserved;
    asking.queues.forEach(({ queue, limit, reserved }, index) => {
      const line = this.lines.get(queue)!;
      line.askedBy--;
      line.reserved -= reserved;
      if (unanswered?.has(queue)) line.lookAt = now;
      if (unanswered?.has(queue) || limit === 0 || asking.number < line.answeredUpTo) return;
      line.answeredUpTo = asking.number;
      line.lookedAt = now;
      line.looks++;
      line.isBusy = claim.nextInMs[index] === 0;
      line.lookAt = line.isRung ? -Infinity : now + claim.nextInMs[index]!;
    });
    for (const { queue } of claim.tasks) {
      this.usedInAll++;
      this.lines.get(queue)!.used++;
    }
    for (const heard of this.listeners) heard();
  }

  /** Calls `heard` after each answer of the store until the returned function is called. */
  listen(heard: () => void): () => void {
    this.listeners.add(heard);
    return () => void this.listeners.delete(heard);
  }

  /** The store gave no answer: the same is asked again at `at`. */
  failed(asking: Asking, at: number): void {
    asking.isAnswered = true;
    this.reserved -= asking.reserved;
    for (const { queue, reserved } of asking.queues) {
      const line = this.lines.get(queue)!;
      line.askedBy--;
      line.reserved -= reserved;
      line.lookAt = at;
    }
  }

  release(queue: string): void {
    this.usedInAll--;
    this.lines.get(queue)!.used--;
  }

  /** Slots for which a queue that is being asked has more. */
  get roomForMore(): number {
    for (const line of this.lines.values()) if (line.isBusy) return this.free;
    return 0;
  }

  private get free(): number {
    return this.concurrency - this.usedInAll - this.reserved;
  }

  /** When there is something to ask, as far as is known, for a queue that has room. */
  get nextLookAt(): number {
    if (this.isFull) return Infinity;
    let next = Infinity;
    for (const line of this.lines.values())
      if (line.used < line.concurrency)
        next = Math.min(next, Math.max(line.lookAt, this.pausedUntil(line.name)));
    return next;
  }
}
