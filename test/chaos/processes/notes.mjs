// What a process of a chaos round did, in a file of its own: each line is with the operating system before the next thing
// happens, so that a kill loses none.
import { openSync, writeSync } from 'node:fs';

/** Milliseconds of the machine's clock that never runs back, which all its processes share. */
export const now = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;

export function openNotes(file) {
  const place = openSync(file, 'a');
  return (event, at = now()) => void writeSync(place, `${JSON.stringify({ at, ...event })}\n`);
}
