import { Clock, type ClockTimer } from '../task/clock.js';
import { realTimer } from './real-time.js';

interface VirtualTimer {
  readonly number: number;
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved. */
export class VirtualClock extends Clock {
  override readonly mayJump: boolean = false;
  #now: number;
  readonly #timers = new Set<VirtualTimer>();
  #longestRealMs: number | undefined;
  #timersSet = 0;

  constructor(
    startsAt: number,
    /** Told of every move, before the timers that it makes due. */
    private readonly moved: (byMs: number) => void = () => undefined,
  ) {
    super();
    this.#now = startsAt;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(delayMs: number, wake: () => void): ClockTimer {
    // Whole milliseconds, as a Date has them, and never too early.
    const timer = { number: ++this.#timersSet, at: Math.ceil(this.#now + Math.max(delayMs, 0)), wake };
    this.#timers.add(timer);
    const call = this.#longestRealMs === undefined ? undefined : this.#inRealTime(timer);
    return {
      cancel: () => {
        this.#timers.delete(timer);
        call?.();
      },
    };
  }

  /** How many timers have been set so far. */
  get timersSet(): number {
    return this.#timersSet;
  }

  /** Whether somebody waits who did not when so many had been set. */
  isWaitedForSince(timersSet: number): boolean {
    for (const { number } of this.#timers) if (number > timersSet) return true;
    return false;
  }

  /** When the next timer is due; Infinity: there is none. */
  get nextAt(): number {
    return this.#next()?.at ?? Infinity;
  }

  /** Moves on to the next timer and fires it. */
  step(): void {
    const timer = this.#next();
    if (timer) this.#fire(timer);
  }

  /** Fires what is due by now; not what that makes due. */
  fireDue(): void {
    const due = [...this.#timers].filter(({ at }) => at <= this.#now);
    for (const timer of due.sort((a, b) => a.at - b.at)) if (this.#timers.has(timer)) this.#fire(timer);
  }

  /** Time passes, and no timer fires. */
  moveTo(at: number): void {
    const byMs = at - this.#now;
    if (byMs <= 0) return;
    this.#now = at;
    this.moved(byMs);
  }

  /** Nobody moves it any more: its timers fire by themselves, and none is waited for longer than this. */
  release(longestMs: number): void {
    this.#longestRealMs = longestMs;
    for (const timer of this.#timers) this.#inRealTime(timer);
  }

  #inRealTime(timer: VirtualTimer): () => void {
    const delayMs = Math.min(timer.at - this.#now, this.#longestRealMs!);
    return realTimer(delayMs, () => this.#timers.has(timer) && this.#fire(timer));
  }

  #fire(timer: VirtualTimer): void {
    this.#timers.delete(timer);
    this.moveTo(timer.at);
    timer.wake();
  }

  #next(): VirtualTimer | undefined {
    let next: VirtualTimer | undefined;
    for (const timer of this.#timers) if (!next || timer.at < next.at) next = timer;
    return next;
  }
}
