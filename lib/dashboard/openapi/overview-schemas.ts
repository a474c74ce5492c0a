import type * as api from '../api.js';
import type { Components } from './components.js';
import {
  count,
  flag,
  list,
  moment,
  nullable,
  number,
  object,
  oneOf,
  ref,
  span,
  text,
  type Schema,
} from './schema.js';

const errorCode = oneOf(
  'INVALID_REQUEST',
  'INVALID_CURSOR',
  'INVALID_PARAMS',
  'FORBIDDEN',
  'CLOSED',
  'READ_ONLY',
  'CROSS_ORIGIN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
  'TOO_MANY_STREAMS',
  'STORE_UNAVAILABLE',
  'SHUTTING_DOWN',
  'INTERNAL',
);
const troubleCode = oneOf(
  'no-runner',
  'waiting-too-long',
  'slots-overdue',
  'dying',
  'parked',
  'paused-with-work',
  'backend-unreachable',
  'backend-degraded',
  'process',
);

export type OverviewComponents =
  | 'Error'
  | 'Session'
  | 'Ref'
  | 'Progress'
  | 'StateCounts'
  | 'FieldError'
  | 'Overview'
  | 'Chart'
  | 'Charts'
  | 'Queue'
  | 'QueueActRequest'
  | 'Runner'
  | 'Trouble';

export const overviewSchemas: { [K in OverviewComponents]: Schema<Components[K]> } = {
  Error: object<api.ApiError>(
    {
      error: object<api.ApiError['error']>(
        { code: errorCode, message: text },
        { violations: list(ref('FieldError')) },
      ),
    },
    {},
  ),
  Session: object<api.Session>(
    {
      apiVersion: count,
      title: text,
      roles: list(oneOf('view', 'operate', 'enqueue')),
      isReadOnly: flag,
      token: text,
      answeredAt: moment,
    },
    { user: text },
  ),
  Ref: object<api.Ref>({ queue: text, id: text }, {}),
  Progress: object<api.Progress>({ percent: number }, { note: text }),
  StateCounts: object<api.StateCounts>(
    {
      scheduled: count,
      waiting: count,
      pending: count,
      succeeded: count,
      dead: count,
      cancelled: count,
      parked: count,
    },
    {},
  ),
  FieldError: object<api.FieldError>({ path: text, message: text }, {}),
  Overview: object<api.Overview>(
    {
      counts: ref('StateCounts'),
      charts: ref('Charts'),
      queues: list(ref('Queue')),
      runners: list(ref('Runner')),
      troubles: list(ref('Trouble')),
    },
    {},
  ),
  Chart: object<api.Chart>(
    { startsAt: moment, spanMs: span, succeeded: list(count), failed: list(count), dead: list(count) },
    {},
  ),
  Charts: object<api.Charts>({ hour: ref('Chart'), day: ref('Chart') }, {}),
  Queue: object<api.QueueRow>(
    { name: text, counts: ref('StateCounts'), isPaused: flag, runners: list(text), charts: ref('Charts') },
    { oldestWaitingMs: span, pausedForMs: span },
  ),
  QueueActRequest: object<api.QueueActRequest>(
    { action: oneOf('pause', 'resume'), queue: text },
    { forMs: span },
  ),
  Runner: object<api.RunnerRow>(
    {
      name: text,
      host: text,
      pid: count,
      version: text,
      queues: list(object<api.RunnerRow['queues'][number]>({ name: text, concurrency: nullable(count) }, {})),
      concurrency: nullable(count),
      running: count,
      startedAt: moment,
      seenAt: moment,
      tasks: list(
        object<api.RunningTask>(
          { queue: text, id: text, job: text, runningMs: span },
          { attempt: count, progress: ref('Progress') },
        ),
      ),
    },
    {},
  ),
  Trouble: object<api.Trouble>(
    { code: troubleCode, level: oneOf('error', 'warning'), message: text, advice: text },
    { queue: text },
  ),
};
