import type { CronWall } from './cron-wall.js';
import type { TimeZone } from './time-zone.js';

const dayMs = 86_400_000;
// A match that daylight saving skips costs two: thirty in a row are a rule, and what the rule skips never comes.
const mostTries = 60;
// Up to here a match and what is asked about the days around it are moments that a Date can hold.
const outermost = 8.6e15;

/** A part of a zone's time in which the wall clock does not jump. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  /** The offset before the start: the same where the start is no jump. */
  readonly before: number;
}

/**
 * The slots of a cron text on the wall clock of a zone.
 *
 * Named hours happen once a day: a time that daylight saving skips is moved by the length of the gap, of a repeated one the
 * first is taken. Hours written with `*` or `/` happen whenever the clock shows them.
 */
export class CronSlots {
  constructor(
    private readonly wall: CronWall,
    private readonly zone: TimeZone,
  ) {}

  /** The first slot after a moment, if there ever is one. */
  after(t: number): number | undefined {
    let from = Math.floor(t) + 1;
    for (let tries = 0; tries < mostTries && Math.abs(from) < outermost; tries++) {
      // No wall clock is a whole day away from UTC, so a far match is approached without asking the zone.
      const near = this.wall.firstFrom(from - dayMs);
      if (near === undefined) return undefined;
      from = Math.max(from, near - dayMs);
      const stretch = this.stretchAround(from);
      const slot = this.firstIn(stretch, from);
      if (slot !== undefined) return slot;
      from = stretch.end;
    }
    return undefined;
  }

  /** The last slot at or before a moment, if there ever was one. */
  upTo(t: number): number | undefined {
    let to = Math.floor(t);
    for (let tries = 0; tries < mostTries && Math.abs(to) < outermost; tries++) {
      const near = this.wall.lastUpTo(to + dayMs);
      if (near === undefined) return undefined;
      to = Math.min(to, near + dayMs);
      const stretch = this.stretchAround(to);
      const slot = this.lastIn(stretch, to);
      if (slot !== undefined) return slot;
      to = stretch.start - 1;
    }
    return undefined;
  }

  private stretchAround(at: number): Stretch {
    // A jump more than two days before the start has no slots left to move or to leave out.
    const start = this.zone.previousTransition(at, at - 4 * dayMs) ?? at - 2 * dayMs;
    const end = this.zone.nextTransition(at, at + 2 * dayMs) ?? at + 2 * dayMs;
    return { start, end, offset: this.zone.offsetAt(at), before: this.zone.offsetAt(start - 1) };
  }

  private firstIn(stretch: Stretch, from: number): number | undefined {
    const { offset, before, end } = stretch;
    const real = this.firstUnder(offset, Math.max(from, this.repeatedUntil(stretch)), end);
    const moved = this.firstUnder(before, from, this.movedUntil(stretch));
    return real === undefined || moved === undefined ? (real ?? moved) : Math.min(real, moved);
  }

  private lastIn(stretch: Stretch, to: number): number | undefined {
    const { offset, before, start } = stretch;
    const real = this.lastUnder(offset, this.repeatedUntil(stretch), to);
    const moved = this.lastUnder(before, start, Math.min(to, this.movedUntil(stretch) - 1));
    return real === undefined || moved === undefined ? (real ?? moved) : Math.max(real, moved);
  }

  /** Up to here the wall clock shows times for the second time, which named hours leave out. */
  private repeatedUntil({ start, offset, before }: Stretch): number {
    return this.wall.hasFixedHours ? Math.max(start, start + before - offset) : start;
  }

  /** Up to here the old wall clock would show the times that are skipped, which named hours make up for. */
  private movedUntil({ start, end, offset, before }: Stretch): number {
    return this.wall.hasFixedHours ? Math.min(end, Math.max(start, start + offset - before)) : start;
  }

  private firstUnder(offset: number, from: number, end: number): number | undefined {
    const wall = from < end ? this.wall.firstFrom(from + offset) : undefined;
    return wall === undefined || wall - offset >= end ? undefined : wall - offset;
  }

  private lastUnder(offset: number, start: number, to: number): number | undefined {
    const wall = to >= start ? this.wall.lastUpTo(to + offset) : undefined;
    return wall === undefined || wall - offset < start ? undefined : wall - offset;
  }
}
