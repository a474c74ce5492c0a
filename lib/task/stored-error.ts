import type { StoredError } from './outcome.js';
import { isError } from './realm.js';

const longestMessage = 4_000;
const longestStack = 8_000;

/** Anything thrown, in the form in which it is stored; never throws itself. */
export function storedError(thrown: unknown): StoredError {
  try {
    if (isError(thrown)) {
      const cause = isError(thrown.cause) ? `\ncaused by ${thrown.cause.stack}` : '';
      return {
        name: String(thrown.name).slice(0, 200),
        message: String(thrown.message).slice(0, longestMessage),
        stack: thrown.stack === undefined ? undefined : `${thrown.stack}${cause}`.slice(0, longestStack),
      };
    }
    return { name: 'Error', message: `thrown: ${String(thrown)}`.slice(0, longestMessage) };
  } catch {
    return { name: 'Error', message: 'thrown: a value that cannot be shown' };
  }
}

/** Anything thrown, on one line of a log. */
export function lineOf(thrown: unknown): string {
  const { name, message } = storedError(thrown);
  return `${name}: ${message}`;
}
