import type * as api from '../api.js';
import type { Components } from './components.js';
import {
  anything,
  count,
  either,
  flag,
  list,
  moment,
  object,
  oneOf,
  ref,
  span,
  text,
  type Schema,
} from './schema.js';

export const taskState = oneOf('scheduled', 'waiting', 'pending', 'succeeded', 'dead', 'cancelled', 'parked');
const taskAction = oneOf('retry', 'runNow', 'cancel', 'remove');

const filterFields = {
  state: list(taskState),
  queue: list(text),
  job: list(text),
  from: moment,
  to: moment,
  text,
  error: text,
};
export const taskQuery = object<api.TaskQuery>(
  {},
  { ...filterFields, limit: count, after: text, backwards: flag },
);

const taskFields = {
  queue: text,
  id: text,
  job: text,
  state: taskState,
  priority: count,
  attempt: count,
  failures: count,
  retries: count,
  enqueuedAt: moment,
  dueAt: moment,
  isCancelRequested: flag,
};
const taskChoices = {
  startedAt: moment,
  finishedAt: moment,
  runningMs: span,
  runner: text,
  progress: ref('Progress'),
  scheduleId: text,
  reason: text,
};

const which: Schema<api.Which> = either(
  object<{ readonly refs: readonly api.Ref[] }>({ refs: list(ref('Ref')) }, {}),
  object<{ readonly filter: api.TaskFilter }>({ filter: ref('TaskFilter') }, {}),
);
const counts = { done: count, requested: count, left: count, taken: count, missing: count };

export type TaskComponents =
  | 'Content'
  | 'TaskFilter'
  | 'Task'
  | 'TaskList'
  | 'TaskDetails'
  | 'TaskPreviewRequest'
  | 'TaskPreview'
  | 'TaskActRequest'
  | 'TaskActed'
  | 'FailureList';

export const taskSchemas: { [K in TaskComponents]: Schema<Components[K]> } = {
  Content: either(
    object<{ readonly json: unknown; readonly bytes: number }>({ json: anything, bytes: count }, {}),
    object<{ readonly text: string; readonly bytes: number; readonly isCut: boolean }>(
      { text, bytes: count, isCut: flag },
      {},
    ),
  ),
  TaskFilter: object<api.TaskFilter>({}, filterFields),
  Task: object<api.TaskRow>({ ...taskFields, params: text }, { ...taskChoices, error: text }),
  TaskList: object<api.TaskList>({ tasks: list(ref('Task')), isComplete: flag }, { next: text }),
  TaskDetails: object<api.TaskDetails>(
    {
      ...taskFields,
      params: ref('Content'),
      errors: list(
        object<api.TaskError>(
          { name: text, message: text, attempt: count, at: moment },
          { stack: text, startedAt: moment, runMs: span, runner: text },
        ),
      ),
      lines: list(object<api.TaskDetails['lines'][number]>({ at: moment, message: text }, {})),
      actions: list(taskAction),
    },
    {
      ...taskChoices,
      result: ref('Content'),
      lastRun: object<api.LastRun>({ startedAt: moment, endedAt: moment, runMs: span }, { runner: text }),
      lock: object<api.TaskLock>({ key: text, phase: text, onConflict: text }, { ttlMs: span, holder: text }),
      slot: moment,
      expiresAt: moment,
      leaseEndsAt: moment,
      waitedMs: span,
      keepMs: span,
      traceId: text,
      extra: ref('Content'),
    },
  ),
  TaskPreviewRequest: object<api.TaskPreviewRequest>({ action: taskAction, which }, { after: text }),
  TaskPreview: object<api.TaskPreview>({ count, isComplete: flag }, { next: text, asOf: moment }),
  TaskActRequest: object<api.TaskActRequest>(
    { action: taskAction, which },
    { limit: count, after: text, asOf: moment },
  ),
  TaskActed: object<api.TaskActed>(counts, { next: text }),
  FailureList: object<api.FailureList>(
    {
      count,
      isComplete: flag,
      groups: list(
        object<api.FailureGroup>(
          {
            job: text,
            error: text,
            count,
            queues: list(text),
            firstAt: moment,
            lastAt: moment,
            sample: ref('Ref'),
          },
          {},
        ),
      ),
    },
    { next: text },
  ),
};
