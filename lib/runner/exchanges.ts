import type { Claim } from '../backend/backend.js';
import type { ClockTimer } from '../task/clock.js';
import type { Outcome, Settled } from '../task/outcome.js';
import { answerOf } from './answer-of.js';
import type { Attempt } from './attempt.js';
import type { ExchangeParts, ExchangeSettings } from './exchange-parts.js';
import type { Asking } from './asking.js';
import { soonInOwnContext } from './own-context.js';
import { Settler, slotsLeavingWith, type Unsettled } from './settler.js';
import { StoreOutage } from './store-outage.js';
import { stopped, storedEnd } from './stored-end.js';
import { TurningPoint } from './turning-point.js';
import { Unacknowledged } from './unacknowledged.js';

/**
 * What a runner and its store say to each other: an exchange brings the outcomes of the moment and asks for as many tasks as
 * there are free slots, so a busy runner pays one round trip for many tasks. One is under way at a time; with many slots
 * there are two, so that the store works while the runner does.
 */
export class Exchanges {
  /** Every outcome is stored, and no claim is under way that could bring more. */
  readonly stored: TurningPoint;
  private readonly settler: Settler;
  private readonly outage: StoreOutage;
  private timer: ClockTimer | undefined;
  private timerAt = Infinity;
  private underWay = 0;
  private readonly unacknowledged: Unacknowledged;
  private isQueued = false;
  private isCatchingUp = false;
  private isAccepting = true;
  private isOver = false;

  constructor(
    private readonly parts: ExchangeParts,
    private readonly settings: ExchangeSettings,
  ) {
    const { backend, clock, intake } = parts;
    this.settler = new Settler(backend.tasks, clock);
    this.outage = new StoreOutage(clock);
    this.unacknowledged = new Unacknowledged(intake);
    const isStored = () =>
      intake.used === 0 && this.underWay === 0 && this.unacknowledged.isEmpty && this.settler.unstored === 0;
    this.stored = new TurningPoint(clock, isStored);
  }

  /** How many outcomes the store does not have; the slots of some may have been filled again. */
  get unstored(): number {
    return Math.max(this.parts.intake.used, this.settler.unstored);
  }

  /** Claims nothing more; outcomes are still brought. */
  stopClaiming(): void {
    this.isAccepting = false;
  }

  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
    // What could not be stored has happened all the same.
    for (const { attempt } of this.settler.takeAll()) attempt.line?.();
  }

  /** Brings an outcome to the store with the next exchange. */
  offer(attempt: Attempt, outcome: Outcome): void {
    this.settler.add(attempt, outcome);
    this.wake();
  }

  /** Asks for an exchange: outcomes and bells of the same moment share it, and I/O gets its turn in between. */
  wake(): void {
    if (this.isQueued || this.isOver) return;
    this.isQueued = true;
    soonInOwnContext(() => {
      this.isQueued = false;
      this.exchange();
    });
  }

  private exchange(): void {
    if (this.isOver || this.isCatchingUp || this.outage.isPausing || !this.mayBegin) return this.sleep();
    if (this.parts.keeper.isLate) return this.catchUp();
    const now = this.parts.clock.elapsed();
    const { intake, silent, sweep } = this.parts;
    const isSweep = this.isAccepting && now >= sweep.at;
    if (isSweep) intake.sweep();
    const batch = this.settler.take(intake.mostAtOnce, silent.pausedAt(now));
    const asking = this.mayClaim ? intake.ask(now, slotsLeavingWith(batch), silent.unheard) : undefined;
    // Until a claim leaves that can take something it stays due: what is parked must not miss its turn.
    if (isSweep && asking && asking.limit > 0) sweep.done(now);
    if (batch.length === 0 && !asking) return this.sleep();
    this.underWay++;
    // Both leave before either is awaited, so that they share a round trip; outcomes first.
    const settling = batch.length > 0 ? this.settle(batch, asking) : undefined;
    const claiming = asking && this.claim(asking, now, isSweep);
    void this.bothAnswered(batch, settling, claiming);
    // At once: by the next turn of the event loop the first answer may be there, and half of the slots had nothing to do.
    if (this.mayBegin) this.exchange();
  }

  private async bothAnswered(
    batch: readonly Unsettled[],
    settling: Promise<Error | string[]> | undefined,
    claiming: Promise<Error | Claim> | undefined,
  ): Promise<void> {
    const claim = await claiming;
    if (settling && claim && 'tasks' in claim && claim.freesSlots) return this.filledFirst(batch, settling);
    const settled = (await settling) ?? [];
    if (settled instanceof Error) return this.ended(settled);
    // Not before its claim is answered, which may fill these very slots: another would ask for them a second time.
    for (const queue of settled) this.parts.intake.release(queue);
    this.ended(claim instanceof Error ? claim : undefined);
  }

  private async filledFirst(batch: readonly Unsettled[], settling: Promise<Error | string[]>): Promise<void> {
    const acknowledged = this.unacknowledged.until(settling, batch);
    this.ended(undefined);
    const settled = await acknowledged;
    if (settled instanceof Error) this.failed(settled);
    else for (const queue of settled) this.parts.intake.release(queue);
    this.stored.changed();
    this.wake();
  }

  /** Answers the queues of slots that are free by that. Neither rejects: what went wrong is their answer. */
  private settle(batch: readonly Unsettled[], asking: Asking | undefined): Promise<Error | string[]> {
    const slotStays = (queue: string) => asking && this.parts.intake.notYetFree(asking, queue);
    const settled = (answers: readonly Settled[]) => this.settled(batch, answers);
    return this.settler.send(batch, slotStays).then(settled, (error: Error) => error);
  }

  private claim(asking: Asking, sentAt: number, isSweep: boolean): Promise<Error | Claim> {
    const { backend, keeper, silent, intake, clock } = this.parts;
    const { name, leaseMs, declares } = this.settings;
    const isUnheard = silent.unheard.size > 0 && asking.queues.some(({ queue }) => silent.unheard.has(queue));
    const request = {
      queues: asking.queues,
      limit: asking.limit,
      leaseMs,
      runner: name,
      // A store of this process asks for nothing more by it; elsewhere it is a look too many for every claim.
      declares: isSweep || backend.bell.lossless ? declares : undefined,
      holding: isUnheard ? keeper.held : undefined,
    };
    return answerOf(() => backend.tasks.claim(request)).then(
      (claim) => this.claimed(asking, claim, sentAt + leaseMs, isUnheard),
      (error: Error) => {
        // What never left cannot have been answered.
        if ((error as { sent?: boolean }).sent !== false)
          for (const { queue } of asking.queues) silent.unheard.add(queue);
        intake.failed(asking, clock.elapsed());
        return error;
      },
    );
  }

  private claimed(asking: Asking, claim: Claim, leaseEndsAt: number, saidWhatIsHeld: boolean): Claim {
    const { silent, intake, clock, begin } = this.parts;
    if (claim.recovered) this.parts.recovered(claim.recovered);
    if (this.isOver) {
      this.settler.handBack(claim.tasks);
      return claim;
    }
    silent.claimed(asking.queues, saidWhatIsHeld, claim.unanswered);
    intake.answered(asking, claim, clock.elapsed());
    if (claim.tasks.length > 0) begin(claim.tasks, leaseEndsAt);
    return claim;
  }

  private settled(batch: readonly Unsettled[], answers: readonly Settled[]): string[] {
    const { keeper, silent, intake, lines, clock, settled } = this.parts;
    const free: string[] = [];
    batch.forEach((unsettled, index) => {
      const { attempt } = unsettled;
      const { claimed } = attempt;
      // Its slot stays taken, and its lease held, until the store has it.
      if (answers[index] === 'unanswered') return silent.failed([claimed]);
      if (answers[index] === 'held') return;
      keeper.unwatch(attempt);
      if (!unsettled.isSlotFree) free.push(claimed.queue);
      unsettled.isSlotFree = true;
      const end = storedEnd(unsettled, answers[index]!);
      if (end === stopped) lines.cancelled(claimed, attempt.durationMs);
      else if (end === 'lost') lines.lost(claimed.job, claimed);
      else attempt.line?.();
      settled(attempt, end);
      if (end !== 'lost' && 'delayMs' in end) intake.expect(claimed.queue, clock.elapsed() + end.delayMs);
    });
    return free;
  }

  private ended(error: Error | undefined): void {
    this.underWay--;
    if (error) this.failed(error);
    else this.outage.answered();
    this.stored.changed();
    this.sleep();
  }

  private failed(error: Error): void {
    if (this.outage.failed()) this.parts.say('warn', 'the job store does not answer, trying again', error);
  }

  /** Leases come first that a blocked event loop has kept from being renewed. */
  private catchUp(): void {
    this.isCatchingUp = true;
    void this.parts.keeper.catchUp().then(() => {
      this.isCatchingUp = false;
      this.wake();
    });
  }

  /** Sleeps until the next thing that is known to come; a bell wakes earlier. */
  private sleep(): void {
    // What is acknowledged wakes it.
    if (this.isOver || this.isCatchingUp || this.underWay > 0 || this.unacknowledged.isFull) return;
    const { clock, intake, silent, sweep } = this.parts;
    const looks = this.mayClaim && !intake.isFull ? Math.min(intake.nextLookAt, sweep.at) : Infinity;
    const offers = this.settler.nextAt(silent.areAny ? silent.pausedUntil : undefined);
    const next = Math.max(Math.min(offers, looks), this.outage.pausedUntil);
    // One that fires too early does no harm, and a busy runner would set one for every exchange.
    if (next === Infinity || (this.timer && this.timerAt <= next && this.timerAt > clock.elapsed())) return;
    this.timer?.cancel();
    this.timer = undefined;
    const delayMs = next - clock.elapsed();
    if (delayMs <= 0) return this.wake();
    this.timerAt = next;
    this.timer = clock.after(delayMs, () => {
      this.timer = undefined;
      this.wake();
    });
  }

  /** Whether an exchange may leave: the first, or a second one that is worth it while no answer was lost. */
  private get mayBegin(): boolean {
    const { intake, silent } = this.parts;
    if (this.unacknowledged.isFull) return false;
    if (this.underWay === 0) return true;
    if (this.underWay > 1 || !intake.isWide || silent.unheard.size > 0) return false;
    const { leastBeside, roomForMore } = intake;
    return this.settler.size >= leastBeside || (this.mayClaim && roomForMore >= leastBeside);
  }

  /** Claiming more while leases cannot be renewed would only lose more. */
  private get mayClaim(): boolean {
    return this.isAccepting && this.parts.keeper.isKeeping;
  }
}
