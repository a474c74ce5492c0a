import type { Outcome, Settled, Settlement } from '../../task/outcome.js';
import type { TaskRef } from '../../task/task-record.js';
import type { MemoryQueue } from './memory-queue.js';
import type { MemoryTask } from './memory-task.js';

/** Writes an outcome, if the lease it comes from is still the task's. */
export function settle(queue: MemoryQueue, settlement: Settlement, now: number): Settled {
  const { id, epoch, outcome, notes, repeat } = settlement;
  const task = queue.get(id, now);
  if (!task) return repeat ? 'settled' : 'lost';
  if (task.epoch !== epoch) return settleLate(queue, task, settlement, now);
  const isStopped = task.cancelRequested && outcome.type !== 'succeeded';
  if (task.state !== 'pending') {
    if (!repeat) return 'lost';
    return isStopped && task.state === 'cancelled' ? 'cancelled' : 'settled';
  }
  if (notes) task.note(notes);
  if (isStopped) {
    queue.cancel(task, 'cancelled', now);
    return 'cancelled';
  }
  applyOutcome(queue, task, outcome, now);
  return 'settled';
}

/** A run that outlasted its lease: where nobody has claimed the task since, it need not be done again. */
function settleLate(
  queue: MemoryQueue,
  task: MemoryTask,
  { epoch, outcome, notes }: Settlement,
  now: number,
): Settled {
  const isUnclaimed = task.lostEpoch === epoch && (task.state === 'waiting' || task.state === 'dead');
  if (!isUnclaimed || outcome.type !== 'succeeded') return 'lost';
  if (notes) task.note(notes);
  task.epoch = epoch;
  task.result = outcome.result;
  queue.finish(task, 'succeeded', outcome.keepMs, now);
  return 'settled';
}

/** What an outcome does to a task that is pending. */
export function applyOutcome(queue: MemoryQueue, task: MemoryTask, outcome: Outcome, now: number): void {
  if (task.lock?.phase === 'while_executing') queue.locks.free(task);
  switch (outcome.type) {
    case 'succeeded':
      task.result = outcome.result;
      return queue.finish(task, 'succeeded', outcome.keepMs, now);
    case 'retry':
      if (task.lock?.phase === 'until_executed') queue.locks.free(task);
      task.failures++;
      task.addError(outcome.error, now);
      return queue.postpone(task, outcome.delayMs, now);
    case 'dead':
      task.failures++;
      task.addError(outcome.error, now);
      return queue.finish(task, 'dead', outcome.keepMs, now);
    case 'cancelled':
      return queue.cancel(task, outcome.reason, now, outcome.keepMs);
    case 'snoozed':
    case 'conflict':
      task.attempt--;
      return queue.postpone(task, outcome.delayMs, now);
    case 'handed-back':
      task.attempt--;
      queue.move(task, 'waiting');
      return queue.ring();
    case 'parked':
      task.attempt--;
      return queue.park(task, outcome.reason, outcome.fingerprint);
  }
}

/** Ends a task that does not run; one that does is asked to stop. */
export function stop(
  queue: MemoryQueue,
  task: MemoryTask,
  reason: string,
  now: number,
): 'done' | 'requested' | 'left' {
  if (task.state === 'pending') {
    task.cancelRequested = true;
    return 'requested';
  }
  if (task.state !== 'scheduled' && task.state !== 'waiting' && task.state !== 'parked') return 'left';
  queue.cancel(task, reason, now);
  return 'done';
}

/** Takes back what a runner was given in an answer that never reached it. */
export function handBackAllBut(
  queue: MemoryQueue,
  holding: readonly TaskRef[],
  runner: string,
  now: number,
): void {
  const known = new Set(holding.filter((held) => held.queue === queue.name).map(({ id }) => id));
  for (const task of queue.lines.pending.read(Infinity)) {
    if (task.runner !== runner || known.has(task.id)) continue;
    if (task.cancelRequested) queue.cancel(task, 'cancelled', now);
    else applyOutcome(queue, task, { type: 'handed-back' }, now);
  }
}
