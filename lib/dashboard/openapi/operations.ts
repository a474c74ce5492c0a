import type { DashboardRole } from '../api/basics.js';
import type { FailureQuery } from '../api/tasks.js';
import type { Components } from './components.js';
import { scheduleQuery } from './schedule-and-job-schemas.js';
import { list, moment, object, text, type ObjectSchema } from './schema.js';
import { taskQuery } from './task-schemas.js';

/** One thing that can be asked, as the document tells it. */
export interface Operation {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly role: DashboardRole;
  readonly query?: Pick<ObjectSchema<unknown>, 'required' | 'optional'>;
  readonly body?: keyof Components;
  /** Or of another type than JSON. */
  readonly answer: keyof Components | { readonly type: string };
}

const byName = object<{ queue?: string; id: string }>({ id: text }, { queue: text });
const failureQuery = object<FailureQuery>(
  {},
  { queue: list(text), job: list(text), from: moment, to: moment, text, error: text, after: text },
);

export const operations: readonly Operation[] = [
  read('session', 'Who asks, what he may do, and a token for what he does', 'Session'),
  read('overview', 'Queues, runners, figures and troubles', 'Overview'),
  read('tasks', 'Tasks by a filter, page by page', 'TaskList', taskQuery),
  read('task', 'One task with all that may be shown of it', 'TaskDetails', byName),
  read('failures', 'Dead tasks by job and error', 'FailureList', failureQuery),
  act(
    'tasks/preview',
    'How many tasks an action would deal with',
    'operate',
    'TaskPreviewRequest',
    'TaskPreview',
  ),
  act('tasks/act', 'Retries, runs, cancels or removes tasks', 'operate', 'TaskActRequest', 'TaskActed'),
  act('queues/act', 'Pauses or resumes a queue', 'operate', 'QueueActRequest', 'Queue'),
  read('schedules', 'Schedules by a filter, page by page', 'ScheduleList', scheduleQuery),
  read('schedule', 'One schedule, its latest slots and those to come', 'ScheduleDetails', byName),
  act(
    'schedules/act',
    'Runs, pauses, resumes or removes a schedule',
    'operate',
    'ScheduleActRequest',
    'ScheduleActed',
  ),
  read('jobs', 'The jobs that are known', 'JobList'),
  read('job', 'One job, and what its params are', 'JobDetails', object<{ name: string }>({ name: text }, {})),
  act(
    'jobs/check',
    'What is wrong with params; nothing is stored',
    'enqueue',
    'EnqueueRequest',
    'ParamsCheck',
  ),
  act('jobs/enqueue', 'Enqueues a job', 'enqueue', 'EnqueueRequest', 'EnqueueAnswer'),
  read('stream', 'Hints at what has changed, as server-sent events', { type: 'text/event-stream' }),
  read('openapi.json', 'This document', { type: 'application/json' }),
];

function read(
  path: string,
  summary: string,
  answer: Operation['answer'],
  query?: Operation['query'],
): Operation {
  return { method: 'get', path, summary, role: 'view', query, answer };
}

function act(
  path: string,
  summary: string,
  role: DashboardRole,
  body: keyof Components,
  answer: keyof Components,
): Operation {
  return { method: 'post', path, summary, role, body, answer };
}
