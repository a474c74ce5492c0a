import type { Lease } from '../../task/outcome.js';
import { keptLines, type TaskNotes } from '../../task/task-record.js';
import { byQueue } from './redis-arguments.js';
import type { RedisConnection } from './redis-connection.js';

/** Runs that one script call takes at most: others wait while it runs. */
const runsPerCall = 200;

export async function annotate(
  connection: RedisConnection,
  notes: readonly (Lease & { readonly notes: TaskNotes })[],
): Promise<void> {
  for (let from = 0; from < notes.length; from += runsPerCall) {
    const { names, args } = byQueue(notes.slice(from, from + runsPerCall), ({ id, epoch, notes: said }) => [
      id,
      epoch,
      ...notesArguments(said),
    ]);
    await connection.run('annotate', names, args);
  }
}

/** As lua/notes.lua takes them; a JSON text has no line breaks. */
export function notesArguments({ progress, lines = [] }: TaskNotes): [progress: string, lines: string] {
  const texts = lines.slice(-keptLines).map((line) => JSON.stringify(line));
  return [progress ? JSON.stringify(progress) : '', texts.join('\n')];
}
