import type { Added } from '../answers.js';
import type { Advance, Advanced } from '../schedule-store.js';
import { stop } from './memory-outcomes.js';
import type { MemoryQueues } from './memory-queues.js';
import type { MemorySchedule, MemoryScheduleLine } from './memory-schedule-line.js';
import type { MemoryTask } from './memory-task.js';
import type { MemoryTasks } from './memory-tasks.js';

/** Moves a schedule on and adds the task of its slot, unless another was first. */
export function advance(
  step: Advance,
  line: MemoryScheduleLine,
  { queues, tasks, now }: { queues: MemoryQueues; tasks: MemoryTasks; now: number },
): Advanced {
  const { id, slot, version, nextSlot, task, overlap } = step;
  const schedule = line.get(id);
  if (!schedule || schedule.isPaused || schedule.nextSlot !== slot || schedule.version !== version)
    return { status: 'lost' };

  const live = task && overlap !== 'queue' ? liveTask(schedule, queues, now) : undefined;
  const lockedOut = live && overlap === 'replace' ? tasks.lockedOut(task!, live, now) : undefined;
  if (live && overlap === 'replace' && !lockedOut) replace(live, queues, now);
  const adds = task && (!live || overlap === 'replace');
  const added = adds ? (lockedOut ?? tasks.addGroup([task], now)[0]) : undefined;

  if (nextSlot === undefined) line.remove(id);
  else {
    count(schedule, step, added);
    schedule.lastSlot = Math.max(schedule.lastSlot ?? -Infinity, step.passes);
    schedule.nextSlot = nextSlot;
    line.put(schedule);
  }
  return {
    status: 'advanced',
    ...(added ? { added } : {}),
    ...(live && !lockedOut ? { overlaps: live.id } : {}),
  };
}

/**
 * The task that the schedule made last, unless it has ended, or will without another run. One that is parked counts: the
 * next one would end there too, and so on without end.
 */
function liveTask(schedule: MemorySchedule, queues: MemoryQueues, now: number): MemoryTask | undefined {
  const { queue, lastTask } = schedule;
  const task = lastTask === undefined ? undefined : queues.look(queue).get(lastTask, now);
  if (task?.state === 'scheduled' || task?.state === 'waiting' || task?.state === 'parked') return task;
  if (task?.state !== 'pending') return undefined;
  return task.leaseEndsAt > now || task.outlivesItsLease ? task : undefined;
}

function replace(live: MemoryTask, queues: MemoryQueues, now: number): void {
  const queue = queues.get(live.given.queue);
  if (stop(queue, live, 'replaced by the next slot', now) === 'requested')
    queues.bell.ring(queue.name, live.id);
}

function count(schedule: MemorySchedule, { skipped, task }: Advance, added: Added | undefined): void {
  schedule.skipped += skipped;
  if (!task) return;
  if (added?.status !== 'enqueued' && added?.status !== 'replaced') {
    schedule.skipped++;
    return;
  }
  schedule.fired++;
  schedule.lastTask = added.status === 'replaced' ? (added.holder ?? task.id) : task.id;
}
