import type { Claim, ClaimedTask, ClaimRequest, RecoveredRun, Unanswered } from '../backend.js';

/** So many times a claim goes round: what a queue leaves over goes to the others. */
const mostRounds = 3;

/** One asked queue, as far as it is known by now. */
interface Line {
  readonly queue: string;
  readonly slot: number;
  /** How many more it may give. */
  room: number;
  /** How many of those that are left are meant for it in this round. */
  share: number;
  /** Not asked yet is as good as work: there may be some. */
  nextInMs: number;
  isAsked: boolean;
  error?: Error;
}

type AskSlot = (slot: number, request: ClaimRequest) => Promise<Claim>;

/** A claim whose queues lie in several slots: each slot is asked for its queues' share of the limit, all at once. */
export class SharedClaim {
  private readonly lines: Line[];
  private readonly turn: Line[];
  private readonly tasks: ClaimedTask[] = [];
  private readonly recovered: RecoveredRun[] = [];

  constructor(
    private readonly request: ClaimRequest,
    slotOf: (queue: string) => number,
    turn: number,
  ) {
    this.lines = request.queues.map(({ queue, limit }) => ({
      queue,
      slot: slotOf(queue),
      room: Math.min(limit, request.limit),
      share: 0,
      nextInMs: 0,
      isAsked: false,
    }));
    const start = turn % Math.max(this.lines.length, 1);
    this.turn = [...this.lines.slice(start), ...this.lines.slice(0, start)];
  }

  async run(ask: AskSlot): Promise<Claim> {
    // Where it is not only about taking tasks, every slot has to hear it.
    const isForAll = this.request.limit === 0 || this.request.holding !== undefined;
    for (let round = 0; round < mostRounds; round++) {
      const left = this.request.limit - this.tasks.length;
      if (round > 0 && left === 0) break;
      this.shareOut(left);
      const slots = this.slotsToAsk(isForAll || round > 0);
      if (slots.length === 0) break;
      await Promise.all(slots.map((slot) => this.askSlot(slot, ask)));
    }
    const unanswered: Unanswered[] = this.lines.flatMap(({ queue, error }) =>
      error ? [{ queue, reason: error }] : [],
    );
    return {
      tasks: this.tasks,
      nextInMs: this.lines.map(({ nextInMs }) => nextInMs),
      ...(this.recovered.length > 0 ? { recovered: this.recovered } : {}),
      ...(unanswered.length > 0 ? { unanswered } : {}),
    };
  }

  /** The same for each queue that may have work, leftovers go round again; the first ones change from claim to claim. */
  private shareOut(free: number): void {
    let left = free;
    for (const line of this.turn) line.share = 0;
    let open = this.turn.filter((line) => line.room > 0 && line.nextInMs === 0 && !line.error);
    while (left > 0 && open.length > 0) {
      const each = Math.max(Math.floor(left / open.length), 1);
      for (const line of open) {
        const more = Math.min(each, line.room - line.share, left);
        line.share += more;
        left -= more;
      }
      open = open.filter((line) => line.share < line.room);
    }
  }

  private slotsToAsk(alsoWithoutShare: boolean): number[] {
    const lines = this.turn.filter(({ share, isAsked }) => share > 0 || (!isAsked && alsoWithoutShare));
    return [...new Set(lines.map(({ slot }) => slot))];
  }

  private async askSlot(slot: number, ask: AskSlot): Promise<void> {
    const here = this.lines.filter((line) => line.slot === slot);
    const isFirst = !here[0]!.isAsked;
    const lines = isFirst ? here : here.filter(({ share }) => share > 0);
    const { declares, holding, ...rest } = this.request;
    const request: ClaimRequest = {
      ...rest,
      queues: lines.map(({ queue, room }) => ({ queue, limit: room })),
      limit: lines.reduce((sum, { share }) => sum + share, 0),
      // Once is enough; and what was taken since is not in `holding`.
      ...(isFirst ? { declares, holding } : {}),
    };
    for (const line of here) line.isAsked = true;
    try {
      const claim = await ask(slot, request);
      lines.forEach((line, index) => (line.nextInMs = claim.nextInMs[index]!));
      for (const task of claim.tasks) lines.find(({ queue }) => queue === task.queue)!.room--;
      this.tasks.push(...claim.tasks);
      if (claim.recovered) this.recovered.push(...claim.recovered);
      for (const { queue, reason } of claim.unanswered ?? [])
        lines.find((line) => line.queue === queue)!.error = reason;
    } catch (error) {
      for (const line of here) line.error = error as Error;
    }
  }
}
