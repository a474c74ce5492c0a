/**
 * PostgreSQL keeps no NUL and no half of a surrogate pair in a text. Where one stands in a value it is written as this
 * character, which nobody uses, and four digits; and so is this character itself.
 */
const mark = '\u{10ffff}';
const unstorable = /\0|\u{10ffff}|[\ud800-\udfff]/gu;
const written = /\u{10ffff}([0-9a-f]{4})/gu;
const ofMark = 'ffff';

/** What in a JSON text calls for a closer look; most have none of it. */
const suspicious = /\\u0000|\\ud[89a-f]|\u{10ffff}/u;

/** A value as a function of the schema gets it. */
export function toText(value: unknown): string {
  const text = JSON.stringify(value);
  return suspicious.test(text) ? JSON.stringify(value, (_, part: unknown) => escaped(part)) : text;
}

/** What a function of the schema answered. */
export function fromText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes(mark) ? restored(value) : value;
}

function escaped(part: unknown): unknown {
  if (typeof part === 'string')
    return part.replace(
      unstorable,
      (character) => mark + (character === mark ? ofMark : digitsOf(character)),
    );
  // The names of properties are values, too, where they name queues.
  if (typeof part === 'object' && part !== null && !Array.isArray(part))
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [escaped(name), one]));
  return part;
}

function restored(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(written, (_, digits: string) =>
      digits === ofMark ? mark : String.fromCharCode(Number.parseInt(digits, 16)),
    );
  if (Array.isArray(value)) return value.map(restored);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [restored(name), restored(one)]));
}

function digitsOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
