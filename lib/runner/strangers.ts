import type { DueSchedule } from '../backend/schedule-store.js';

/** A due schedule that nobody has fired for so long is one that nobody knows. */
const patienceMs = 60_000;
/** After it was left out, whoever knows it comes first. */
const courtesyMs = 5_000;
const mostRemembered = 10_000;

/**
 * Due schedules that this process cannot fire: of a job that it does not have, or of code that it does not have. Others may be
 * about to: only one that was seen standing for a minute of our own time is to be left out.
 */
export class Strangers {
  /** How long `due` is to leave them out. */
  static readonly deferMs = patienceMs;
  private readonly met = new Map<string, { readonly slot: number; readonly deferAt: number }>();

  /** Answers whether it is to be left out for a while. `now` is of a clock that never runs back. */
  meet({ queue, id, nextSlot }: DueSchedule, now: number): boolean {
    const name = `${queue}\n${id}`;
    const known = this.met.get(name);
    if (known?.slot === nextSlot && now < known.deferAt) return false;
    const isToDefer = known?.slot === nextSlot;
    if (!known && this.met.size >= mostRemembered) this.met.clear();
    const waitMs = isToDefer ? patienceMs + courtesyMs : patienceMs;
    this.met.set(name, { slot: nextSlot, deferAt: now + waitMs });
    return isToDefer;
  }
}
