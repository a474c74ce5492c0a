import type { Added, ClaimedTask, RecoveredRun } from '../backend/backend.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { TaskEvents } from '../job/task-events.js';
import type { Outcome } from '../task/outcome.js';
import { maskResult } from '../task/redact-text.js';
import { eventsOf } from '../task/task-event.js';
import type { NewTask } from '../task/task-record.js';
import type { Attempt } from './attempt.js';

export function tellStart(events: TaskEvents, claimed: ClaimedTask): void {
  if (events.isHeard) events.emit({ type: 'started', ...runFacts(claimed) });
}

/** To be called when the store has answered for the outcome. */
export function tellEnd(
  events: TaskEvents,
  attempt: Attempt,
  end: Outcome | 'lost',
  jobs: Pick<JobRegistry, 'redactionOf'>,
): void {
  if (!events.isHeard) return;
  const { claimed, startedAt, endedAt } = attempt;
  const facts = { ...runFacts(claimed), runMs: Math.round(endedAt - startedAt) };
  if (end === 'lost') return events.emit({ type: 'lost', ...facts });
  for (const event of eventsOf(facts, shown(claimed, end, jobs))) events.emit(event);
}

/** A claim has found that a run ended with its lease: its own process has told of no end. */
export function tellRecovered(events: TaskEvents, run: RecoveredRun): void {
  if (!events.isHeard) return;
  const facts = { ...runFacts(run), runMs: Math.max(Math.round(run.at - run.epoch / 1_000), 0) };
  if (run.outcome === 'dead') events.emit({ type: 'dead', ...facts, error: run.error! });
  else if (run.outcome === 'cancelled') events.emit({ type: 'cancelled', ...facts, reason: 'cancelled' });
  else events.emit({ type: 'lost', ...facts });
}

/** Errors are masked before they are stored; results are stored as they are. */
function shown(
  { job, params, extra }: ClaimedTask,
  outcome: Outcome,
  jobs: Pick<JobRegistry, 'redactionOf'>,
): Outcome {
  if (outcome.type !== 'succeeded' || outcome.result === undefined) return outcome;
  const mask = jobs.redactionOf(job, extra)?.maskOf(params);
  return mask ? { ...outcome, result: maskResult(outcome.result, mask) } : outcome;
}

/** A slot has made a task: it is told where that was done, and as any enqueue. */
export function tellSlot(events: TaskEvents, task: NewTask | undefined, added: Added | undefined): void {
  if (!events.isHeard || !task || (added?.status !== 'enqueued' && added?.status !== 'replaced')) return;
  const isReplaced = added.status === 'replaced';
  const id = (isReplaced ? added.holder : undefined) ?? task.id;
  const { queue, job, scheduleId, slot } = task;
  events.emit({ type: 'enqueued', queue, id, job, scheduleId, slot, isReplaced, dueInMs: 0 });
}

function runFacts(run: ClaimedTask | RecoveredRun) {
  const { queue, id, job, attempt, epoch, dueAt, scheduleId, slot } = run;
  // An epoch is drawn from the store's clock at the claim, in microseconds.
  const waitMs = Math.max(Math.round(epoch / 1_000 - dueAt), 0);
  return { queue, id, job, attempt, scheduleId, slot, waitMs };
}
