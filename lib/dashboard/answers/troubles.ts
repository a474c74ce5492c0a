import type { QueueInfo } from '../../catalog/queue-catalog.js';
import type { HealthProblem, HealthReport } from '../../health/health-report.js';
import type { Trouble, TroubleCode } from '../api/overview.js';
import type { OverdueSlot } from '../overdue-slots.js';
import type { ResolvedSettings } from '../resolve-dashboard-options.js';
import { spanWords, tasksWords } from './words.js';

type Bounds = Pick<ResolvedSettings, 'oldestWaitingMs' | 'deadPerHour'>;

/** A store that takes longer for a simple answer holds up whoever enqueues. */
const slowMs = 1_000;
/** A slot is fired within a moment, but not within none. */
const slotGraceMs = 5_000;

/** What is wrong, what it means and what to do; errors first. */
export function troublesOf(
  queues: readonly QueueInfo[],
  slots: readonly OverdueSlot[],
  health: HealthReport,
  bounds: Bounds,
): Trouble[] {
  const all = [
    ...ofStore(health),
    ...health.problems.flatMap(ofProcess),
    ...queues.flatMap((queue) => {
      const slot = slots.find((slot) => slot.queue === queue.name);
      return ofQueue(queue, slot, bounds);
    }),
  ];
  return all.sort((one, other) => Number(other.level === 'error') - Number(one.level === 'error'));
}

function ofQueue(queue: QueueInfo, slot: OverdueSlot | undefined, bounds: Bounds): Trouble[] {
  const waiting = ofWaiting(queue, bounds);
  // That nobody runs it is told once.
  const isTold = waiting.some(({ code }) => code === 'no-runner' || code === 'paused-with-work');
  const slots = slot && !isTold ? ofSlot(queue, slot, bounds) : [];
  return [...waiting, ...slots, ...ofDead(queue, bounds), ...ofParked(queue)];
}

function ofWaiting(
  { name, depth, oldestWaitingMs, isPaused, pausedForMs, runners }: QueueInfo,
  bounds: Bounds,
): Trouble[] {
  if (oldestWaitingMs === undefined) return [];
  const isLate = oldestWaitingMs > bounds.oldestWaitingMs(name);
  const waits = `${tasksWords(Math.max(depth, 1))} of queue '${name}' wait${depth > 1 ? '' : 's'}`;
  const since = `the oldest has been due for ${spanWords(oldestWaitingMs)}`;
  if (isPaused)
    return isLate && pausedForMs === undefined
      ? [
          warning(
            'paused-with-work',
            name,
            `${waits}, but it is paused; ${since}`,
            'Nothing of this queue starts until somebody resumes it.',
          ),
        ]
      : [];
  if (runners.length === 0)
    return [
      error(
        'no-runner',
        name,
        `${waits}, and no live process runs it; ${since}`,
        'Start a process that runs this queue, or look whether one has died or leaves the queue out of its `runner.queues`.',
      ),
    ];
  if (!isLate) return [];
  const bound = `more than the ${spanWords(bounds.oldestWaitingMs(name))} allowed`;
  const advice =
    'Its runners do not keep up: give them more `concurrency`, start more processes, or see which job takes long.';
  return [error('waiting-too-long', name, `${waits}; ${since}, ${bound}`, advice)];
}

function ofSlot(
  { name, isPaused, pausedForMs, runners }: QueueInfo,
  { job, overdueMs }: OverdueSlot,
  bounds: Bounds,
): Trouble[] {
  const boundMs = Math.max(bounds.oldestWaitingMs(name), slotGraceMs);
  const said = `a slot of ${job} in queue '${name}' has been due for ${spanWords(overdueMs)}`;
  if (isPaused)
    return overdueMs > boundMs && pausedForMs === undefined
      ? [
          warning(
            'slots-overdue',
            name,
            `${said}, but that queue is paused`,
            'No schedule of this queue makes a task until somebody resumes it.',
          ),
        ]
      : [];
  if (runners.length === 0)
    return overdueMs > slotGraceMs
      ? [
          error(
            'slots-overdue',
            name,
            `${said}, and no live process runs that queue`,
            'Slots are fired by the processes that run the queue: start one, or look whether one has died or leaves the queue out of its `runner.queues`.',
          ),
        ]
      : [];
  if (overdueMs <= boundMs) return [];
  const advice =
    'Look whether all processes that run the queue leave slots to others by `runner.schedules`, whether one of them provides the job, and what their logs say.';
  return [error('slots-overdue', name, `${said}, and no process fires it`, advice)];
}

function ofDead({ name, minutes }: QueueInfo, { deadPerHour }: Bounds): Trouble[] {
  const dead = minutes.reduce((sum, span) => sum + span.dead, 0);
  if (dead < deadPerHour) return [];
  const message = `${tasksWords(dead)} of queue '${name}' died within the last hour`;
  return [
    error(
      'dying',
      name,
      message,
      'They have failed as often as they may and are not tried again: look at their errors, mend the cause, and retry them.',
    ),
  ];
}

function ofParked({ name, counts }: QueueInfo): Trouble[] {
  if (counts.parked === 0) return [];
  const message = `${tasksWords(counts.parked)} of queue '${name}' ${counts.parked === 1 ? 'is' : 'are'} parked`;
  const advice =
    'No running code knows their job or can read their params. They go on when a process that can has started, or by a retry.';
  return [warning('parked', name, message, advice)];
}

function ofStore({ backend }: HealthReport): Trouble[] {
  const { name, isReachable, answeredInMs = 0 } = backend;
  if (!isReachable)
    return [
      error(
        'backend-unreachable',
        undefined,
        `the store ${name} does not answer`,
        'Nothing can be enqueued, and runs lose their leases if it stays away: see to its server and to the network.',
      ),
    ];
  if (answeredInMs <= slowMs) return [];
  const advice = 'Whoever enqueues waits as long: see what keeps its server busy, and how far away it is.';
  return [
    error('backend-degraded', undefined, `the store ${name} took ${answeredInMs} ms to answer`, advice),
  ];
}

/** Of the process that answers; what its store and its queues are is told apart. */
function ofProcess({ code, message, queue }: HealthProblem): Trouble[] {
  const advice: Partial<Record<HealthProblem['code'], string>> = {
    'runner-not-looking': 'Tasks of this queue do not start here: if that lasts, start this process anew.',
    leases: 'A process that cannot renew its leases loses its tasks to others, which run them again.',
    'event-loop-late':
      'Something here keeps the event loop busy: long work belongs into pieces, or into another thread.',
  };
  const known = advice[code];
  return known === undefined
    ? []
    : [warning('process', queue, `in the process that answers: ${message}`, known)];
}

/** Somebody waits for what does not come. */
function error(...said: Said): Trouble {
  return trouble('error', ...said);
}

/** It is meant so, or concerns few. */
function warning(...said: Said): Trouble {
  return trouble('warning', ...said);
}

type Said = [code: TroubleCode, queue: string | undefined, message: string, advice: string];

function trouble(level: Trouble['level'], ...[code, queue, message, advice]: Said): Trouble {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  return { code, level, queue, message: `${sentence}.`, advice };
}
