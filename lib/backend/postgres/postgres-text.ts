/** What parts the tasks of an answer that is not in JSON, and the fields of one. */
const recordSeparator = '\x1e';
const unitSeparator = '\x1f';

/**
 * PostgreSQL keeps no NUL and no half of a surrogate pair in a text, and separators must stay ours. Where one of these stands
 * in a value it is written as this character, which nobody uses, and four digits; and so is this character itself.
 */
const mark = '\u{10ffff}';
const unstorable = new RegExp(`[\\0${recordSeparator}${unitSeparator}]|${mark}|[\\ud800-\\udfff]`, 'gu');
const written = /\u{10ffff}([0-9a-f]{4})/gu;
const ofMark = 'ffff';

/** What in a JSON text calls for a closer look; most have none of it. */
const suspicious = /\\u00(?:00|1[ef])|\\ud[89a-f]|\u{10ffff}/u;

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

/** What a value of a list may not have as it is, and what one by itself may not. */
const unlistable = new RegExp(`["\\\\]|${unstorable.source}`, 'u');
const unwritable = new RegExp(unstorable.source, 'u');

/** A text that a function of the schema gets by itself. */
export function plainText(text: string): string {
  return unwritable.test(text) ? escapedText(text) : text;
}

/** A list as PostgreSQL writes it. */
export function arrayText(values: readonly (string | number)[]): string {
  // Nearly always: one look at all of them. With something in between, so that no two halves of a pair seem to be one.
  if (values.length > 0 && !unlistable.test(values.join(' '))) return `{"${values.join('","')}"}`;
  let text = '';
  for (const value of values)
    text += `${text && ','}${typeof value === 'number' ? value : `"${escapedText(value).replace(/["\\]/g, '\\$&')}"`}`;
  return `{${text}}`;
}

/** The records of an answer that is not in JSON, each as its fields. */
export function recordsOf(text: string): string[][] {
  const records = text.split(recordSeparator).map((record) => record.split(unitSeparator));
  return text.includes(mark) ? records.map((fields) => fields.map(restoredText)) : records;
}

function escaped(part: unknown): unknown {
  if (typeof part === 'string') return escapedText(part);
  // The names of properties are values, too, where they name queues.
  if (typeof part === 'object' && part !== null && !Array.isArray(part))
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [escaped(name), one]));
  return part;
}

function escapedText(text: string): string {
  return text.replace(unstorable, (character) => mark + (character === mark ? ofMark : digitsOf(character)));
}

function restoredText(text: string): string {
  return text.replace(written, (_, digits: string) =>
    digits === ofMark ? mark : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function restored(value: unknown): unknown {
  if (typeof value === 'string') return restoredText(value);
  if (Array.isArray(value)) return value.map(restored);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [restored(name), restored(one)]));
}

function digitsOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
