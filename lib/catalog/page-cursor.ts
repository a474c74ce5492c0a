import { createHash } from 'node:crypto';
import { InvalidCursorError } from './errors.js';

const version = 1;
const longestCursor = 100_000;

/** Where the walk through several queues stands. */
export interface WalkPlace {
  /** Which of the keys of the walk it is at. */
  readonly key: number;
  /** Queues up to this name have been begun. */
  readonly upTo: string;
  /** Those that are under way, each with its place; empty text is its beginning. */
  readonly open: readonly (readonly [queue: string, place: string])[];
}

/** Names what was asked, so that a page of one question is not gone on with under another. */
export function digestOf(question: unknown): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 11);
}

/** Text that a caller hands back as it is. */
export function cursorText(call: string, digest: string, place: unknown): string {
  return Buffer.from(JSON.stringify([version, call, digest, place])).toString('base64url');
}

/** What `cursorText` was given; anything else is refused. */
export function readCursor<P>(
  call: string,
  digest: string,
  text: unknown,
  isPlace: (place: unknown) => place is P,
): P {
  const parts = partsOf(text);
  if (!parts) throw new InvalidCursorError(call, text, 'that is no cursor');
  const [of, by, question, place] = parts;
  if (of !== version) throw new InvalidCursorError(call, text, 'that is a cursor of another version');
  if (by !== call) throw new InvalidCursorError(call, text, 'that is a cursor of another method');
  if (question !== digest)
    throw new InvalidCursorError(call, text, 'that is a cursor of another filter or order');
  if (!isPlace(place)) throw new InvalidCursorError(call, text, 'that is no cursor');
  return place;
}

export function isWalkPlace(place: unknown): place is WalkPlace {
  const { key, upTo, open } = Object(place) as Partial<Record<keyof WalkPlace, unknown>>;
  return (
    Number.isInteger(key) &&
    (key as number) >= 0 &&
    typeof upTo === 'string' &&
    Array.isArray(open) &&
    open.every(
      (one) => Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string'),
    )
  );
}

function partsOf(text: unknown): unknown[] | undefined {
  if (typeof text !== 'string' || text.length > longestCursor || !/^[\w-]+$/.test(text)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parts) && parts.length === 4 ? parts : undefined;
  } catch {
    return undefined;
  }
}
