import { PayloadTooLargeError, UnreadableParamsError } from './errors.js';
import { plainCopy } from './params-plain.js';

// A key of these names can only have been put there by hand; an escape may hide one.
const suspect = /"(?:__proto__|prototype)"|\\u/;

/** The text to store for what `plainCopy` gave; no params at all are stored as no text. */
export function writeParams(job: string, plain: unknown, limit: number): string {
  if (plain === undefined) return '';
  const text = JSON.stringify(plain);
  // A UTF-16 unit takes three bytes at most, so most texts need no counting.
  if (text.length * 3 > limit) {
    const bytes = Buffer.byteLength(text);
    if (bytes > limit) throw new PayloadTooLargeError(job, bytes, limit);
  }
  return text;
}

export function readParams(job: string, text: string): unknown {
  if (text === '') return undefined;
  let plain: unknown;
  try {
    plain = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableParamsError(job, { cause });
  }
  return suspect.test(text) ? plainCopy(job, plain) : plain;
}
