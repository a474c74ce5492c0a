import type { Content } from '../api/tasks.js';

/** Larger values would keep a page from being smooth. */
const mostBytes = 256 * 1_024;
const shownOfLarge = 16_384;

/** Stored JSON text for a page that shows it as a tree; what is no JSON, or too large, as the beginning of its text. */
export function contentOf(text: string): Content {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) return { text: text.slice(0, shownOfLarge), bytes, isCut: true };
  // A task without params has no text at all.
  if (text === '') return { json: null, bytes };
  try {
    return { json: JSON.parse(text) as unknown, bytes };
  } catch {
    const shown = text.slice(0, shownOfLarge);
    return { text: shown, bytes, isCut: shown.length < text.length };
  }
}
