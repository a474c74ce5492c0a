import { expect, it, jest } from '@jest/globals';
import type { Backend } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { allJobs, Dig, LoseLetter, SendLetter } from './fixtures/dashboard-jobs.js';
import { describeAdapters, startDashboard } from './fixtures/dashboard-stage.js';
import { watched } from './fixtures/watched-catalog.js';

const count = 12_000;
const dead = 2_000;

/** What a page may read of the store and be told, however much is in it. */
interface Bound {
  readonly rows: number;
  readonly calls: number;
  readonly kilobytes: number;
}

const list: Bound = { rows: 500, calls: 30, kilobytes: 200 };
// A search looks at so much, a fill of its lines more, and at what it found once again.
const search: Bound = { rows: 10_000 + 1_000, calls: 400, kilobytes: 200 };

describeAdapters(`With ${count} tasks in the store, what a page asks of it and is told`, (adapter) => {
  it('stays bounded, for every page', async () => {
    const dashboard = await startDashboard({
      adapter,
      providers: allJobs,
      jobs: { runner: { queues: ['mail'], concurrency: 200 } },
    });
    const { jobs, catalog, get, post } = dashboard;
    await jobs.bulk((bulk) => {
      for (let at = 0; at < dead; at++) bulk.enqueue(LoseLetter, { why: `cause ${'abcdefgh'[at % 8]}` });
    });
    await eventually(async () => (await catalog.counts('mail')).dead === dead, 30_000);
    await catalog.pause('mail');
    const letter = { to: 'ada@example.com' };
    await jobs.bulk((bulk) => {
      for (let at = 0; at < (count - dead) / 2; at++) {
        bulk.enqueue(SendLetter, letter, { id: `letter-${at}`, in: at + 3_600_000 });
        bulk.enqueue(Dig, { at }, { id: `dig-${at}` });
      }
    });
    const { during } = watched(catalog);
    const states = ['scheduled', 'waiting', 'pending', 'dead', 'cancelled', 'parked', 'succeeded'];
    const cases: [path: string, Bound][] = [
      ['overview', list],
      ['tasks?limit=200', { ...list, rows: 1_000 }],
      ...states.map((state): [string, Bound] => [`tasks?limit=100&backwards=true&state=${state}`, list]),
      ['tasks?limit=100&job=Nobody', search],
      ['tasks?limit=100&text=nowhere', search],
      ['tasks?limit=100&state=dead&error=RangeError:+nothing', { ...search, rows: dead }],
      ['task?id=letter-17', { ...list, rows: 0 }],
      ['failures', { ...search, rows: dead }],
      ['schedules', list],
      ['schedule?queue=reports&id=SendInvoices', list],
      ['jobs', list],
      ['job?name=SendLetter', list],
    ];
    for (const [path, bound] of cases) {
      const { answer, rows, calls } = await during(() => get(path));
      const kilobytes = JSON.stringify(answer.body).length / 1_000;
      expect([path, answer.status]).toEqual([path, path.startsWith('schedule?') ? 404 : 200]);
      expect({ path, ...within({ rows, calls, kilobytes }, bound) }).toEqual({
        path,
        ...within(bound, bound),
      });
    }
    const which = { filter: { state: ['waiting'], text: 'dig' } };
    const preview = await during(() => post('tasks/preview', { action: 'cancel', which }));
    expect(preview.answer.body.count).toBeGreaterThan(0);
    expect(preview.rows).toBeLessThanOrEqual((count - dead) / 2 + 1_000);
  }, 60_000);
});

/** Which of the bounds hold. */
function within(measured: Bound, bound: Bound) {
  return {
    rows: measured.rows <= bound.rows ? 'bounded' : measured.rows,
    calls: measured.calls <= bound.calls ? 'bounded' : measured.calls,
    kilobytes: measured.kilobytes <= bound.kilobytes ? 'bounded' : measured.kilobytes,
  };
}

it('Whoever looks, and however often: the schedules are gone through once a second for the jobs', async () => {
  const { get, post, catalog } = await startDashboard({ providers: allJobs, jobs: { runner: false } });
  const { backend } = catalog as unknown as { backend: Backend };
  const list = jest.spyOn(backend.schedules, 'list');
  const queues = (await catalog.queueNames()).length;
  await Promise.all(Array.from({ length: 20 }, () => get('jobs')));
  for (let at = 0; at < 5; at++) await get('job?name=SendLetter');
  expect(list.mock.calls.length).toBeLessThanOrEqual(2 * queues);
  // What was done is seen at once.
  list.mockClear();
  await post('jobs/enqueue', { job: 'Dig' });
  expect((await get('jobs')).status).toBe(200);
  expect(list).toHaveBeenCalled();
});
