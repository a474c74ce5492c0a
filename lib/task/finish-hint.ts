import type { TaskRef } from './task-record.js';

/** What every such text begins with: others travel on the same wire. */
const head = 'finished ';
/** In bytes; a wire carries no longer text. */
const longestText = 4_000;

/** Tells whoever waits for tasks that these have finished: as many texts as it takes, up to `most`. */
export function finishHints(refs: readonly TaskRef[], most: number): string[] {
  const texts: string[] = [];
  let queues: Record<string, string[]> = {};
  let size = 0;
  const send = () => texts.push(head + JSON.stringify(queues));
  for (const { queue, id } of refs) {
    const more = Buffer.byteLength(JSON.stringify(id)) + Buffer.byteLength(JSON.stringify(queue)) + 8;
    if (size > 0 && head.length + size + more > longestText) {
      send();
      if (texts.length === most) return texts;
      [queues, size] = [{}, 0];
    }
    size += more;
    if (Object.hasOwn(queues, queue)) queues[queue]!.push(id);
    else Object.defineProperty(queues, queue, { value: [id], enumerable: true });
  }
  if (size > 0) send();
  return texts;
}

/** The tasks of a hint; none where the text is another's, or cannot be read. */
export function readFinishHint(text: string): TaskRef[] {
  if (!text.startsWith(head)) return [];
  try {
    const queues = JSON.parse(text.slice(head.length)) as Record<string, string[]>;
    return Object.entries(queues).flatMap(([queue, ids]) => ids.map((id) => ({ queue, id })));
  } catch {
    return [];
  }
}
