import type { Added, ClaimedTask } from '../backend/backend.js';
import type { TaskEvents } from '../job/task-events.js';
import type { Outcome } from '../task/outcome.js';
import { eventsOf } from '../task/task-event.js';
import type { NewTask } from '../task/task-record.js';
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

/** A slot has made a task: it is told where that was done, and as any enqueue. */
export function tellSlot(events: TaskEvents, task: NewTask | undefined, added: Added | undefined): void {
  if (!events.isHeard || !task || (added?.status !== 'enqueued' && added?.status !== 'replaced')) return;
  const isReplaced = added.status === 'replaced';
  const id = (isReplaced ? added.holder : undefined) ?? task.id;
  const { queue, job, scheduleId, slot } = task;
  events.emit({ type: 'enqueued', queue, id, job, scheduleId, slot, isReplaced, dueInMs: 0 });
}

function runFacts({ queue, id, job, attempt, epoch, dueAt, scheduleId, slot }: ClaimedTask) {
  // An epoch is drawn from the store's clock at the claim, in microseconds.
  const waitMs = Math.max(Math.round(epoch / 1_000 - dueAt), 0);
  return { queue, id, job, attempt, scheduleId, slot, waitMs };
}
