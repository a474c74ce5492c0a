import type { StoredError } from './outcome.js';
import { isError } from './realm.js';
import type { Mask } from './redact-text.js';

const longestMessage = 4_000;
const longestStack = 8_000;

const asItIs: Mask = (text) => text;

/**
 * Anything thrown, in the form in which it is stored; never throws itself. What is not to be seen is masked before anything
 * is cut off: half of it would be left.
 */
export function storedError(thrown: unknown, mask = asItIs): StoredError {
  try {
    if (isError(thrown)) {
      const cause = isError(thrown.cause) ? `\ncaused by ${thrown.cause.stack}` : '';
      return {
        name: mask(String(thrown.name)).slice(0, 200),
        message: mask(String(thrown.message)).slice(0, longestMessage),
        stack:
          thrown.stack === undefined ? undefined : mask(`${thrown.stack}${cause}`).slice(0, longestStack),
      };
    }
    return { name: 'Error', message: mask(`thrown: ${String(thrown)}`).slice(0, longestMessage) };
  } catch {
    return { name: 'Error', message: 'thrown: a value that cannot be shown' };
  }
}

/** Anything thrown, on one line of a log. */
export function lineOf(thrown: unknown, mask?: Mask): string {
  const { name, message } = storedError(thrown, mask);
  return `${name}: ${message}`;
}
