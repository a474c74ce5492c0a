import { InvalidOptionError } from './errors.js';

/**
 * Milliseconds, or text: `'500ms' '90s' '1m' '2h' '1d' '1w'`, and where a calendar span makes sense `'1mo' '1y'`.
 * A day is 24 hours.
 */
export type Duration = number | string;

/** A span as the calendar counts it: months have no fixed length. */
export type Span = { readonly ms: number } | { readonly months: number };

/** What is being read, for the message where it cannot be. */
export interface DurationUse {
  /** The job's name, or what else is being configured. */
  readonly where: string;
  readonly option: string;
  /** Months and years are allowed. */
  readonly calendar?: boolean;
  readonly negative?: boolean;
}

const unitMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const unitMonths: Record<string, number> = { mo: 1, y: 12 };
const pattern = /^(-?\d+(?:\.\d+)?) ?(ms|s|mo|m|h|d|w|y)$/;

// Beyond this the sum of a due time and a span is no valid Date.
const longestMs = 100 * 365 * unitMs.d!;

/** Reads a duration of fixed length. */
export function toMs(value: Duration, use: Omit<DurationUse, 'calendar'>): number {
  return (toSpan(value, use) as { ms: number }).ms;
}

export function toSpan(value: Duration, use: DurationUse): Span {
  const span = typeof value === 'number' ? { ms: Math.round(value) } : parse(value);
  const amount = span === undefined ? NaN : 'ms' in span ? span.ms : span.months;
  const isAllowed =
    span !== undefined &&
    Number.isFinite(amount) &&
    (amount >= 0 || use.negative === true) &&
    ('ms' in span ? Math.abs(span.ms) <= longestMs : use.calendar === true && Math.abs(span.months) <= 1_200);
  if (!isAllowed) throw new InvalidOptionError(use.where, use.option, value, expectation(use));
  return span;
}

/** Milliseconds from `from` to the end of the span; 31 January plus a month is the end of February. */
export function spanMs(span: Span, from: number): number {
  return 'ms' in span ? span.ms : addMonths(from, span.months) - from;
}

function addMonths(from: number, months: number): number {
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

function parse(text: unknown): Span | undefined {
  const [, amount, unit] = (typeof text === 'string' && pattern.exec(text.trim())) || [];
  if (amount === undefined || unit === undefined) return undefined;
  const ms = unitMs[unit];
  if (ms !== undefined) return { ms: Math.round(Number(amount) * ms) };
  const months = Number(amount) * unitMonths[unit]!;
  return Number.isInteger(months) ? { months } : undefined;
}

function expectation({ calendar, negative }: DurationUse): string {
  const texts = `'500ms', '90s', '5m', '2h', '1d', '1w'${calendar ? ", '1mo', '1y'" : ''}`;
  const sign = negative ? '' : ' and not negative';
  return `a duration in milliseconds or like ${texts}${sign}, of 100 years at most`;
}
