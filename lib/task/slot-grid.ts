import { spanMs, type Span } from './duration.js';

/** Slots one span apart, each counted from the first: they do not drift, and the 31st comes back after February. */
export class SlotGrid {
  constructor(
    private readonly every: Span,
    private readonly first: number,
  ) {}

  after(t: number): number | undefined {
    return this.slot(this.indexUpTo(t) + 1);
  }

  upTo(t: number): number | undefined {
    return this.slot(this.indexUpTo(t));
  }

  count(from: number, to: number): number {
    return Math.max(this.indexUpTo(to - 1) - this.indexUpTo(from - 1), 0);
  }

  /** The number of the last slot up to a moment; -1 before the first, which has the number 0. */
  private indexUpTo(t: number): number {
    const { every, first } = this;
    if ('ms' in every) return Math.max(Math.floor((t - first) / every.ms), -1);
    // A slot of this number is in the month of t or before it, the next one in a later month.
    const index = Math.floor((monthOf(t) - monthOf(first)) / every.months);
    return Math.max(this.at(index) > t ? index - 1 : index, -1);
  }

  private slot(index: number): number | undefined {
    const slot = index >= 0 ? this.at(index) : NaN;
    return Number.isSafeInteger(slot) ? slot : undefined;
  }

  private at(index: number): number {
    const { every, first } = this;
    if ('ms' in every) return first + index * every.ms;
    return first + spanMs({ months: index * every.months }, first);
  }
}

function monthOf(t: number): number {
  const at = new Date(t);
  return at.getUTCFullYear() * 12 + at.getUTCMonth();
}
