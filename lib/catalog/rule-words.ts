import type { Span } from '../task/duration.js';
import type { SlotRule } from '../task/slots.js';
import { cronWords } from './cron-words.js';

/** When the slots of a schedule are, in words; where there are none for a cron text, the text itself. */
export function ruleWords(rule: SlotRule): string {
  const when =
    'every' in rule ? `every ${spanWords(rule.every, 'each')}` : cronWords(rule.cron, rule.timeZone);
  const span = rule.for ? `, for ${spanWords(rule.for, 'counted')}` : '';
  const until = rule.until === undefined ? '' : `, until ${momentWords(rule.until)}`;
  return `${when}${span}${until}`;
}

const units: readonly (readonly [ms: number, name: string])[] = [
  [7 * 86_400_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
  [1, 'millisecond'],
];

/** A span in the largest unit that says it in whole numbers: `5 minutes`; one of them is `minute` after each, else `1 minute`. */
export function spanWords(span: Span, use: 'each' | 'counted'): string {
  if ('months' in span) {
    const { months } = span;
    return months % 12 === 0 ? counted(months / 12, 'year', use) : counted(months, 'month', use);
  }
  const [ms, name] = units.find(([unit]) => span.ms >= unit && span.ms % unit === 0) ?? [1, 'millisecond'];
  return counted(span.ms / ms, name, use);
}

function counted(count: number, unit: string, use: 'each' | 'counted'): string {
  if (count === 1) return use === 'each' ? unit : `1 ${unit}`;
  return `${count} ${unit}s`;
}

function momentWords(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
