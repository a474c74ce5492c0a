import type { LogFields } from '../job/jobs-log.js';
import type { Redaction } from '../task/redact.js';

/** A line is no place for a large payload. */
const longest = 2_000;

/** Stored params as a line shows them. */
export function shownParams(stored: string, redaction?: Redaction): { text: string; fields?: LogFields } {
  if (stored === '') return { text: '' };
  const masked = redaction ? redaction.maskParams(stored) : stored;
  if (masked.length > longest) {
    const cut = `${masked.slice(0, longest)}…`;
    return { text: ` with ${cut}`, fields: { params: cut } };
  }
  return { text: ` with ${masked}`, fields: { params: parsed(masked) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
