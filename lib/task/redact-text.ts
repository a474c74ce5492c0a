import { types } from 'node:util';

/** What stands in the place of a value that is not to be seen. */
export const redacted = '[redacted]';

/** Takes out of a text what is not to be seen. */
export type Mask = (text: string) => string;

/** Shorter ones stand by chance in any text, and would make it unreadable. */
const shortest = 3;
/** A text is not searched for more: then all of it is masked. */
const most = 1_000;
/** What is left of a value that somebody has cut off tells nothing below this. */
const shortestRest = 4;

/** The values below these, as texts in which they may be met: as they are, within JSON, within an address. */
export function secretsOf(values: Iterable<unknown>): Set<string> {
  const found = new Set<string>();
  const seen = new Set<object>();
  // Not by recursion: a value may be nested deeper than the stack is.
  const left: unknown[] = [...values];
  while (left.length > 0 && found.size <= most) {
    const value = left.pop();
    if (typeof value === 'string') for (const form of formsOf(value)) found.add(form);
    else if (typeof value === 'number' || typeof value === 'bigint') left.push(String(value));
    else if (types.isDate(value)) left.push(String(value.toJSON()));
    else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value);
      for (const inner of Object.values(value)) left.push(inner);
    }
  }
  return found;
}

function formsOf(text: string): string[] {
  if (text.length < shortest) return [];
  const forms = [text, JSON.stringify(text).slice(1, -1)];
  try {
    forms.push(encodeURIComponent(text));
  } catch {
    // Half a pair of surrogates stands in no address.
  }
  return forms;
}

/** Takes these values out of texts; they are looked for once, at the first text. Where they cannot be, all of it is masked. */
export function maskHiding(values: () => Iterable<unknown>): Mask {
  let secrets: ReadonlySet<string> | undefined;
  return (text) => {
    try {
      return maskText(text, (secrets ??= secretsOf(values())));
    } catch {
      return redacted;
    }
  };
}

/** A text without these values; all of it is masked where that cannot be done. */
export function maskText(text: string, values: ReadonlySet<string>): string {
  if (values.size === 0) return text;
  if (values.size > most) return redacted;
  // The longest first: one may be a part of another.
  const ordered = [...values].sort((a, b) => b.length - a.length);
  try {
    const pattern = new RegExp(ordered.map(literally).join('|'), 'g');
    return maskRests(text.replace(pattern, redacted), ordered);
  } catch {
    // A pattern can be too large.
    return redacted;
  }
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Values that whoever made the text has cut off: before dots, or at its end. */
function maskRests(text: string, values: readonly string[]): string {
  const ends = [...Array.from(text.matchAll(/…|\.{3}/g), ({ index }) => index), text.length];
  let masked = text;
  // From the end on, so that the places before stay where they are.
  for (const end of ends.toReversed()) {
    const begins = values.map((value) => restBefore(masked, end, value)).filter((at) => at >= 0);
    if (begins.length > 0) masked = masked.slice(0, Math.min(...begins)) + redacted + masked.slice(end);
  }
  return masked;
}

/** Where the beginning of a value begins that ends at this place; -1: there is none. */
function restBefore(text: string, end: number, value: string): number {
  const head = value.slice(0, shortestRest);
  if (head.length < shortestRest) return -1;
  for (let at = text.indexOf(head, Math.max(end - value.length, 0)); at >= 0 && at < end;) {
    if (value.startsWith(text.slice(at, end))) return at;
    at = text.indexOf(head, at + 1);
  }
  return -1;
}

/** A stored result: what a handler returned is its own business, but what it was given does not become visible by it. */
export function maskResult(text: string, mask: Mask): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => {
      if (typeof value === 'string') return mask(value);
      return typeof value === 'number' && mask(String(value)) !== String(value) ? redacted : value;
    });
  } catch {
    return JSON.stringify(redacted);
  }
}
