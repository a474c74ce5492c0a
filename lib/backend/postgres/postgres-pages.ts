import { InvalidOptionError } from '../../task/errors.js';
import type { TaskState } from '../../task/task-record.js';

/** How many numbers say where a task stands among those of its state. */
const numbersOf: Readonly<Record<TaskState, number>> = {
  waiting: 3,
  scheduled: 2,
  pending: 1,
  succeeded: 2,
  dead: 2,
  cancelled: 2,
  parked: 2,
};

const largest = 2n ** 63n - 1n;

/** The place at which a page ended, as the one after it is asked for. */
export function cursorOf(place: readonly string[]): string {
  return place.join('.');
}

export function taskPlace(state: TaskState, cursor: string): string[] {
  const place = cursor.split('.');
  if (place.length !== numbersOf[state] || !place.every(isNumber)) throw unknownPlace(cursor);
  return place;
}

export function schedulePlace(cursor: string): [moment: string, id: string] {
  const dot = cursor.indexOf('.');
  const [moment, id] = [cursor.slice(0, dot), cursor.slice(dot + 1)];
  if (dot < 0 || !isNumber(moment) || id === '') throw unknownPlace(cursor);
  return [moment, id];
}

/** As the database writes a whole number, of its size. */
function isNumber(text: string): boolean {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return false;
  return BigInt(text) >= -largest && BigInt(text) <= largest;
}

function unknownPlace(cursor: string): InvalidOptionError {
  return new InvalidOptionError('the list', 'after', cursor, 'what the page before gave as `next`');
}
