import type { JobCatalog } from '../../catalog/job-catalog.js';
import { statesForAction, type Ref, type TaskAction, type TaskState } from '../api/basics.js';
import type { FailureList, TaskActed, TaskDetails, TaskList, TaskPreview } from '../api/tasks.js';
import { failureList, taskDetails, taskRow } from '../answers/task-answers.js';
import { notFound } from '../http/api-failure.js';
import type { Fields } from '../http/fields.js';
import { nameOf, pageOf, within } from './page-fields.js';
import { get, post, type Asked, type Route } from './route.js';
import { filterNames, latestMs, readFilter, readWhich } from './task-filter-fields.js';

const actions: readonly TaskAction[] = ['retry', 'runNow', 'cancel', 'remove'];
const mostActed = 10_000;
const lookedUpAtOnce = 50;
const failureNames = [...filterNames.filter((name) => name !== 'state'), 'after'];

/** `acted`: something was done, and is to be seen. */
export function taskRoutes(catalog: JobCatalog, acted: () => void): Route[] {
  return [
    get('tasks', (asked) => tasks(catalog, asked.query(...filterNames, 'limit', 'after', 'backwards'))),
    get('task', (asked) => task(catalog, asked)),
    get('failures', (asked) => failures(catalog, asked.query(...failureNames))),
    post('tasks/preview', 'operate', async (asked) =>
      preview(catalog, await asked.body('action', 'which', 'after')),
    ),
    post('tasks/act', 'operate', async (asked) => {
      const answer = await act(catalog, asked);
      acted();
      return answer;
    }),
  ];
}

async function tasks(catalog: JobCatalog, fields: Fields): Promise<TaskList> {
  const page = { ...pageOf(fields), backwards: fields.flag('backwards') ?? false };
  const { tasks, next, complete } = await catalog.tasks(readFilter(fields), page);
  return { tasks: tasks.map(taskRow), next, isComplete: complete };
}

async function task(catalog: JobCatalog, asked: Asked): Promise<TaskDetails> {
  const name = nameOf(asked.query('queue', 'id'));
  const found = await catalog.task(name);
  if (!found)
    throw notFound('there is no such task: it has been removed, or was kept no longer after it ended');
  return taskDetails(found, asked.visitor.roles.has('operate'));
}

async function failures(catalog: JobCatalog, fields: Fields): Promise<FailureList> {
  const { queue, job, from, to, text, error } = readFilter(fields);
  const filter = { queue, job, from, to, text, error };
  return failureList(await catalog.failures(filter, { within, after: fields.cursor('after') }));
}

async function preview(catalog: JobCatalog, fields: Fields): Promise<TaskPreview> {
  const action = fields.oneOf('action', actions);
  const which = readWhich(fields, action);
  if ('refs' in which) return { count: await possible(catalog, action, which.refs), isComplete: true };
  const search = { within, after: fields.cursor('after') };
  // Before it is counted: what comes in meanwhile may be among the number, and is left alone.
  const asOf = (await catalog.now()).getTime();
  const { count, complete, next } = await catalog.count(which.filter, search);
  return { count, isComplete: complete, next, asOf };
}

/** How many of them are there, in a state in which this can be done. */
async function possible(catalog: JobCatalog, action: TaskAction, refs: readonly Ref[]): Promise<number> {
  const states: readonly TaskState[] = statesForAction[action];
  let count = 0;
  for (let from = 0; from < refs.length; from += lookedUpAtOnce) {
    const found = await Promise.all(refs.slice(from, from + lookedUpAtOnce).map((ref) => catalog.task(ref)));
    count += found.filter((task) => task && states.includes(task.state)).length;
  }
  return count;
}

async function act(catalog: JobCatalog, asked: Asked): Promise<TaskActed> {
  const fields = await asked.body('action', 'which', 'limit', 'after', 'asOf');
  const action = fields.oneOf('action', actions);
  const which = readWhich(fields, action);
  const page = {
    limit: fields.integer('limit', 1, mostActed),
    after: fields.cursor('after'),
    asOf: fields.integer('asOf', 0, latestMs),
  };
  const meant = `${action} of ${'refs' in which ? namesIn(which.refs) : `all of ${JSON.stringify(which.filter)}`}`;
  const { done, requested, left, taken, missing, next } = await asked.doing(meant, async () =>
    'refs' in which ? catalog[action](which.refs) : catalog[action](which.filter, page),
  );
  const counts = { done, requested, left, taken, missing };
  asked.did(`${meant}: ${countsIn(counts)}`);
  return { ...counts, next };
}

function namesIn(refs: readonly { queue: string; id: string }[]): string {
  const some = refs.slice(0, 5).map(({ queue, id }) => JSON.stringify(`${queue}/${id}`));
  return refs.length > 5 ? `${some.join(', ')} and ${refs.length - 5} more` : some.join(', ');
}

function countsIn(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([what, count]) => `${count} ${what}`).join(', ') || 'none';
}
