import type { TaskRecord } from '../task/task-record.js';

const longest = 300;

// What differs from task to task: ids first, since they hold numbers.
const folded: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#'],
  [/\b0x[0-9a-f]+\b/gi, '#'],
  // Long runs of letters and digits in which a digit stands: keys, hashes, our own ids.
  [/\b(?=[\w-]*\d)[a-z0-9][\w-]{15,}\b/gi, '#'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}\b/gi, '#'],
  [/(?<![a-z_\d])\d+(?:[.,:]\d+)*/gi, '#'],
];

/** An error without what is of one task alone: equal for tasks that failed of the same cause. */
export function errorGroup(name: string, message: string): string {
  const line = message.split('\n', 1)[0]!.slice(0, 4 * longest);
  const text = folded.reduce((shorter, [pattern, by]) => shorter.replace(pattern, by), line);
  return `${name}: ${text}`.slice(0, longest).trimEnd();
}

/** No store leaves a dead task without an error, but a group must have a name by which it can be dealt with. */
const withoutError = 'no error is known';

/** The group of a task's latest error. */
export function errorGroupOf({ errors }: TaskRecord): string {
  const last = errors.at(-1);
  return last ? errorGroup(last.name, last.message) : withoutError;
}
