import type { ClaimedTask } from '../backend/backend.js';
import type { TaskEvents } from '../job/task-events.js';
import type { Outcome } from '../task/outcome.js';
import { eventsOf } from '../task/task-event.js';
import type { Attempt } from './attempt.js';

export function tellStart(events: TaskEvents, claimed: ClaimedTask): void {
  if (events.isHeard) events.emit({ type: 'started', ...runFacts(claimed) });
}

/** To be called when the store has answered for the outcome. */
export function tellEnd(events: TaskEvents, attempt: Attempt, end: Outcome | 'lost'): void {
  if (!events.isHeard) return;
  const { claimed, startedAt, endedAt } = attempt;
  const facts = { ...runFacts(claimed), runMs: Math.round(endedAt - startedAt) };
  if (end === 'lost') return events.emit({ type: 'lost', ...facts });
  for (const event of eventsOf(facts, end)) events.emit(event);
}

function runFacts({ queue, id, job, attempt, epoch, dueAt, scheduleId, slot }: ClaimedTask) {
  // An epoch is drawn from the store's clock at the claim, in microseconds.
  const waitMs = Math.max(Math.round(epoch / 1_000 - dueAt), 0);
  return { queue, id, job, attempt, scheduleId, slot, waitMs };
}
