import type { FailureGroups } from '../../catalog/failure-groups.js';
import type { FailureInfo, LastRunInfo, TaskInfo } from '../../catalog/task-info.js';
import { statesForAction, type TaskAction } from '../api/basics.js';
import type { FailureList, LastRun, TaskDetails, TaskError, TaskRow } from '../api/tasks.js';
import { contentOf } from './content.js';
import { moment } from './moments.js';

const shownParams = 200;
const shownError = 300;

export function taskRow(task: TaskInfo): TaskRow {
  const last = task.errors.at(-1);
  return {
    ...common(task),
    error: last && `${last.name}: ${last.message}`.replace(/\s+/g, ' ').slice(0, shownError),
    params: task.paramsText.slice(0, shownParams),
  };
}

/** `mayOperate`: whether the one who asks may do what is possible. */
export function taskDetails(task: TaskInfo, mayOperate: boolean): TaskDetails {
  const { lock, expiresAt, leaseEndsAt, slot, waitedMs, keepMs, resultText } = task;
  const extra = shownExtra(task);
  return {
    ...common(task),
    waitedMs,
    keepMs,
    params: contentOf(task.paramsText),
    result: resultText === undefined ? undefined : contentOf(resultText),
    errors: task.errors.map(taskError),
    lastRun: task.lastRun && lastRun(task.lastRun),
    lines: task.lines.map(({ at, message }) => ({ at: at.getTime(), message })),
    lock: lock && {
      key: lock.key,
      phase: lock.phase,
      onConflict: lock.onConflict,
      ttlMs: lock.ttlMs,
      holder: lock.holder,
    },
    slot: moment(slot),
    expiresAt: moment(expiresAt),
    leaseEndsAt: moment(leaseEndsAt),
    traceId: traceOf(task),
    extra: extra && contentOf(JSON.stringify(extra)),
    actions: mayOperate ? actionsFor(task) : [],
  };
}

export function failureList({ groups, count, complete, next }: FailureGroups): FailureList {
  return {
    count,
    next,
    isComplete: complete,
    groups: groups.map(({ firstAt, lastAt, ...group }) => ({
      ...group,
      firstAt: firstAt.getTime(),
      lastAt: lastAt.getTime(),
    })),
  };
}

function common(task: TaskInfo) {
  const { queue, id, job, state, priority, attempt, failures, retries } = task;
  const { runningMs, runner, progress, scheduleId, reason } = task;
  return {
    queue,
    id,
    job,
    state,
    priority,
    attempt,
    failures,
    retries,
    runningMs,
    runner,
    progress,
    scheduleId,
    reason,
    enqueuedAt: task.enqueuedAt.getTime(),
    dueAt: task.dueAt.getTime(),
    startedAt: moment(task.startedAt),
    finishedAt: moment(task.finishedAt),
    isCancelRequested: task.cancelRequested,
  };
}

function taskError({ name, message, stack, attempt, at, startedAt, runMs, runner }: FailureInfo): TaskError {
  return { name, message, stack, attempt, at: at.getTime(), startedAt: moment(startedAt), runMs, runner };
}

function lastRun({ startedAt, endedAt, runMs, runner }: LastRunInfo): LastRun {
  return { startedAt: startedAt.getTime(), endedAt: endedAt.getTime(), runMs, runner };
}

function actionsFor({ state, cancelRequested }: TaskInfo): TaskAction[] {
  const actions = Object.keys(statesForAction) as TaskAction[];
  return actions.filter((action) => {
    const states: readonly string[] = statesForAction[action];
    return states.includes(state) && !(action === 'cancel' && cancelRequested);
  });
}

/** What the application lets travel with its tasks may be secret, and is its own business; what is masked is seen. */
const unshown = new Set(['trace', 'context', 'redact']);

function shownExtra({ extra }: TaskInfo): Record<string, unknown> | undefined {
  const shown = Object.entries(extra).filter(([name]) => !unshown.has(name));
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** As W3C Trace Context writes it: version, trace, span, flags. */
function traceOf({ extra }: TaskInfo): string | undefined {
  const { traceparent } = Object(extra.trace) as { traceparent?: unknown };
  return typeof traceparent === 'string' ? /^[\da-f]{2}-([\da-f]{32})-/.exec(traceparent)?.[1] : undefined;
}
