import { JobCatalog, type TaskState } from 'nestjs-jobs';
import type { BenchApp } from './bench-app.js';
import { orderOf } from './fill.js';

/** Something that the page asks, over and over: each round may ask a little differently, as readers do. */
export interface Call {
  readonly page: string;
  readonly asks: string;
  /** A path below the API, with the body where it is a POST. */
  next(round: number): [path: string, body?: unknown];
  /** What the answer says about the next question. */
  learn?(answer: never): void;
}

const states = [
  'pending',
  'waiting',
  'scheduled',
  'parked',
  'dead',
  'cancelled',
  'succeeded',
] satisfies TaskState[];
/** As the page asks for them. */
const page = 'limit=100&backwards=true';

export async function callsOf({ app }: BenchApp): Promise<Call[]> {
  const catalog = app.get(JobCatalog);
  const { tasks: some } = await catalog.tasks({ state: 'dead' }, { limit: 1_000 });
  const { schedules } = await catalog.schedules({}, { limit: 100 });
  const task = (at: number) => some[at % some.length]!;
  const one = (kind: string, { queue, id }: { queue: string; id: string }) =>
    `${kind}?queue=${encodeURIComponent(queue)}&id=${encodeURIComponent(id)}`;
  const tasks = (asks: string, query: (round: number) => string): Call => ({
    page: 'Tasks',
    asks,
    next: (round) => [`tasks?${page}&${query(round)}`],
  });
  return [
    { page: 'all', asks: 'session', next: () => ['session'] },
    // It makes the overview that is asked for next a fresh one: others are shared for a second.
    {
      page: 'Enqueue',
      asks: 'enqueue a task',
      next: (round) => ['jobs/enqueue', { job: 'PackOrder', params: { order: orderOf(round) } }],
    },
    { page: 'Overview', asks: 'overview, a fresh one', next: () => ['overview'] },
    tasks('of every state, first page', () => ''),
    ...states.map((state) => tasks(`${state}, first page`, () => `state=${state}`)),
    later('of every state, page behind page', ''),
    later('waiting, oldest first, page behind page', 'state=waiting', false),
    tasks('of a queue', () => 'queue=mail&state=waiting'),
    tasks('of a job that many are of', () => 'job=PackOrder'),
    tasks('of a job that few are of', () => 'job=ImportProducts'),
    tasks('of the last hour', () => `from=${Date.now() - 3_600_000}`),
    tasks('of one group of errors', (round) => group(task(round).errors.at(-1)!)),
    tasks('with a text in many', () => 'text=reader'),
    tasks('with a text in few', (round) => `text=${orderOf(round * 7)}`),
    tasks('with a text in none', () => 'text=nowhere+to+be+found'),
    tasks('with an id', (round) => `text=${task(round).id}`),
    { page: 'Task', asks: 'by queue and id', next: (round) => [one('task', task(round))] },
    { page: 'Task', asks: 'by id alone', next: (round) => [`task?id=${task(round).id}`] },
    { page: 'Failures', asks: 'groups of all', next: () => ['failures'] },
    { page: 'Failures', asks: 'groups with a text', next: () => ['failures?text=amber'] },
    {
      page: 'Tasks',
      asks: 'how many all that match are',
      next: () => ['tasks/preview', { action: 'cancel', which: { filter: { state: ['waiting'] } } }],
    },
    {
      page: 'Tasks',
      asks: 'how many with a text are',
      next: () => [
        'tasks/preview',
        { action: 'cancel', which: { filter: { state: ['waiting'], text: 'amber' } } },
      ],
    },
    { page: 'Schedules', asks: 'first page', next: () => ['schedules?limit=100'] },
    { page: 'Schedules', asks: 'with a text', next: () => ['schedules?limit=100&text=invoice'] },
    {
      page: 'Schedule',
      asks: 'one',
      next: (round) => [one('schedule', schedules[round % schedules.length]!)],
    },
    { page: 'Jobs', asks: 'jobs', next: () => ['jobs'] },
    { page: 'Enqueue', asks: 'form of a job', next: () => ['job?name=SendLetter'] },
    {
      page: 'Enqueue',
      asks: 'check of params',
      next: (round) => ['jobs/check', { job: 'SendLetter', params: { to: `reader${round}` } }],
    },
  ];
}

/** Goes on where it has stopped, and from the beginning at the end. */
function later(asks: string, query: string, backwards = true): Call {
  let after: string | undefined;
  return {
    page: 'Tasks',
    asks,
    next: () => [
      `tasks?limit=100&backwards=${backwards}&${query}${after === undefined ? '' : `&after=${after}`}`,
    ],
    learn: ({ next }: { next?: string }) => void (after = next),
  };
}

/** As the page of failures leads to its tasks. */
function group({ name, message }: { name: string; message: string }): string {
  return new URLSearchParams({
    state: 'dead',
    job: 'ChargeCard',
    error: `${name}: ${message.replace(/order-\d+/, 'order-#')}`,
  }).toString();
}
