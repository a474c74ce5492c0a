import { setTimeout as pause } from 'node:timers/promises';
import type { Lease } from '../../task/outcome.js';
import type { TaskLine, TaskNotes, TaskProgress } from '../../task/task-record.js';
import type { PostgresFunctions } from './postgres-functions.js';

/** A renewal has a task in hand for a moment; an open transaction that settles it may for long, and is not waited for. */
const mostTries = 5;
const pauseMs = 20;

/** As `annotate_v1` gets it. */
type NoteRow = [
  queue: string,
  id: string,
  epoch: number,
  progress?: TaskProgress,
  lines?: readonly TaskLine[],
];

/** Writes down what running tasks say. All in one statement: what has failed may be told again as a whole. */
export async function annotate(
  functions: PostgresFunctions,
  notes: readonly (Lease & { readonly notes: TaskNotes })[],
): Promise<void> {
  let told = rowsOf(notes);
  for (let tries = 1; told.length > 0 && tries <= mostTries; tries++) {
    if (tries > 1) await pause(pauseMs * tries);
    const held = (await functions.call('annotate_v1', told)) as number[];
    told = held.map((at) => told[at]!);
  }
}

/** One for each run, also where it is told of twice. */
function rowsOf(notes: readonly (Lease & { readonly notes: TaskNotes })[]): NoteRow[] {
  const rows = new Map<string, NoteRow>();
  for (const {
    queue,
    id,
    epoch,
    notes: { progress, lines },
  } of notes) {
    const name = JSON.stringify([queue, id, epoch]);
    const before = rows.get(name);
    rows.set(
      name,
      before
        ? [queue, id, epoch, progress ?? before[3], [...(before[4] ?? []), ...(lines ?? [])]]
        : [queue, id, epoch, progress, lines],
    );
  }
  return [...rows.values()];
}
