import { nameOf, type HistoryEvent } from '../history-event.js';
import { isLive, SeenTasks, type SeenTask } from '../seen-tasks.js';
import type { Complain, Invariant } from '../violation.js';

/** Of the tasks of one key at most one is in the phase in which the lock is held, and at most one runs under it. */
export const oneHolderAtOnce: Invariant = (history, complain) => {
  const tasks = new SeenTasks();
  const running = new Map<string, { run: string; process: string }>();
  for (const event of history) {
    tasks.apply(event);
    if (event.type === 'stored' || event.type === 'claimed') checkHolders(event, tasks, complain);
    checkRuns(event, tasks, running, complain);
  }
};

function checkHolders(
  event: HistoryEvent & { type: 'stored' | 'claimed' },
  tasks: SeenTasks,
  complain: Complain,
): void {
  const { lock } = tasks.get(event) ?? {};
  if (!lock) return;
  const holders = Array.from(tasks.all()).filter(
    (task) => task.queue === event.queue && task.lock?.key === lock.key && holds(task),
  );
  if (holders.length > 1)
    complain(event, `lock ${lock.key} (${lock.phase}) has ${holders.map(({ id }) => id).join(' and ')}`);
}

/** Whether the history lets a task have its lock, whatever the store says. */
function holds({ now, lock, hasStarted, hasFailed, isInConflict }: SeenTask): boolean {
  switch (lock!.phase) {
    case 'until_executing':
      return !hasStarted && (isLive(now) || now === 'parked');
    case 'while_executing':
      return now === 'pending' && !isInConflict;
    case 'until_executed':
      return !hasFailed && (isLive(now) || now === 'parked');
    case 'until_completed':
      return isLive(now) || now === 'parked';
  }
}

function checkRuns(
  event: HistoryEvent,
  tasks: SeenTasks,
  running: Map<string, { run: string; process: string }>,
  complain: Complain,
): void {
  const isEnd =
    event.type === 'ended' ||
    event.type === 'settled' ||
    event.type === 'taken-back' ||
    event.type === 'lease-ended';
  if (event.type === 'died')
    for (const [key, { process }] of running) if (process === event.process) running.delete(key);
  if (isEnd)
    for (const [key, { run }] of running) if (run === `${nameOf(event)} ${event.epoch}`) running.delete(key);
  if (event.type !== 'started') return;
  const task = tasks.get(event);
  const phase = task?.lock?.phase;
  // A run that outlasted its lease is nobody's; the others must not meet.
  if (
    (phase !== 'while_executing' && phase !== 'until_completed') ||
    task!.epoch !== event.epoch ||
    task!.isLost
  )
    return;
  const key = `${event.queue}/${task!.lock!.key}`;
  const run = `${nameOf(event)} ${event.epoch}`;
  const other = running.get(key);
  if (other) complain(event, `${run} runs under the lock of ${other.run}`);
  running.set(key, { run, process: event.process });
}
