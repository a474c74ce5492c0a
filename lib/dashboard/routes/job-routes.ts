import type { JobCatalog } from '../../catalog/job-catalog.js';
import type { JobInfo } from '../../catalog/job-list.js';
import type { EnqueueAnswer, EnqueueChoices, JobDetails, JobList, ParamsCheck } from '../api/jobs.js';
import { jobRow } from '../answers/job-answers.js';
import { ApiFailure, notFound } from '../http/api-failure.js';
import { failureOf, isOfStore } from '../http/failure-of.js';
import { Fields } from '../http/fields.js';
import type { SharedLook } from '../shared-look.js';
import { get, post, type Asked, type Route } from './route.js';

const choiceNames = [
  'id',
  'queue',
  'in',
  'at',
  'priority',
  'retries',
  'timeout',
  'keep',
] satisfies (keyof EnqueueChoices)[];

/** `jobs`: for them all schedules are gone through, and every page with a filter asks for them. */
export function jobRoutes(catalog: JobCatalog, jobs: SharedLook<JobInfo[]>, acted: () => void): Route[] {
  return [
    get('jobs', async (asked): Promise<JobList> => {
      asked.query();
      return { jobs: (await jobs.get()).map(jobRow) };
    }),
    get('job', (asked) => details(catalog, jobs, asked.query('name'))),
    post('jobs/check', 'enqueue', async (asked): Promise<ParamsCheck> => {
      const fields = await asked.body('job', 'params', 'options');
      return { violations: await catalog.checkParams(fields.requiredText('job'), fields.raw('params')) };
    }),
    post('jobs/enqueue', 'enqueue', async (asked) => {
      const answer = await enqueue(catalog, asked);
      acted();
      return answer;
    }),
  ];
}

async function details(
  catalog: JobCatalog,
  jobs: SharedLook<JobInfo[]>,
  fields: Fields,
): Promise<JobDetails> {
  const name = fields.requiredText('name');
  const job = (await jobs.get()).find((one) => one.name === name);
  if (!job) throw notFound(`there is no job '${name}': no process here provides it, and none has run`);
  const { source, fields: form } = job.isEnqueuable ? catalog.paramsSchema(name) : {};
  return {
    ...jobRow(job),
    someSchedules: job.schedules.some.map(({ queue, id }) => ({ queue, id })),
    form: source && { source, fields: form },
  };
}

async function enqueue(catalog: JobCatalog, asked: Asked): Promise<EnqueueAnswer> {
  const fields = await asked.body('job', 'params', 'options');
  const job = fields.requiredText('job');
  const meant = `enqueue of ${JSON.stringify(job)}`;
  const { id, queue, status, holder } = await asked.doing(meant, () =>
    catalog.enqueue(job, fields.raw('params'), optionsOf(fields)).catch((error: unknown) => {
      throw refusalOf(error);
    }),
  );
  asked.did(`${meant}: task ${JSON.stringify(`${queue}/${id}`)} ${status}`);
  return { id, queue, status, holder };
}

/** Only what a form offers; the job's own defaults stand for the rest. */
function optionsOf(fields: Fields) {
  const options = Fields.ofBody(fields.raw('options') ?? {}, choiceNames, 'options');
  return Object.fromEntries(choiceNames.map((name) => [name, options.raw(name)])) as EnqueueChoices;
}

/** What a hook of the application throws refuses the enqueue: the store has nothing to do with it. */
function refusalOf(error: unknown): ApiFailure {
  const failure = failureOf(error);
  if (failure.status < 500 || isOfStore(error)) return failure;
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ApiFailure(409, 'CONFLICT', `the application refused it: ${why.slice(0, 300)}`, {
    cause: error,
  });
}
