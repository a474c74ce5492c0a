import { expect, it } from '@jest/globals';
import { memoryBackend, type TaskState } from 'nestjs-jobs';
import {
  statesForAction,
  type FailureList,
  type TaskAction,
  type TaskList,
} from '../../lib/dashboard/api.js';
import { eventually, startApp } from '../support/app.js';
import { allJobs, Dig, LoseLetter } from './fixtures/dashboard-jobs.js';
import { startDashboard } from './fixtures/dashboard-stage.js';

const states: TaskState[] = ['scheduled', 'waiting', 'pending', 'succeeded', 'dead', 'cancelled', 'parked'];

it('The dashboard offers each action in the states in which the catalog takes it, and in no other', async () => {
  const { catalog } = await startApp({});
  for (const action of Object.keys(statesForAction) as TaskAction[]) {
    const taken: TaskState[] = [];
    for (const state of states) {
      const isTaken = await catalog[action]({ state }).then(
        () => true,
        () => false,
      );
      if (isTaken) taken.push(state);
    }
    expect([action, taken.sort()]).toEqual([action, [...statesForAction[action]].sort()]);
  }
});

it('An action that fails half way is in the log, with who wanted what', async () => {
  const backend = memoryBackend();
  const { cancel } = backend.catalog;
  let calls = 0;
  backend.catalog.cancel = async (refs) => {
    if (++calls > 1) throw new Error('the connection is gone');
    return cancel.call(backend.catalog, refs);
  };
  const { jobs, post, lines, catalog } = await startDashboard({
    providers: allJobs,
    jobs: { backend, runner: false },
    dashboard: { user: () => 'ann', authorize: () => ['operate'] },
  });
  await jobs.bulk((bulk) => {
    for (let at = 0; at < 900; at++) bulk.enqueue(Dig, { at }, { in: '1h' });
  });
  const which = { filter: { state: ['scheduled'], job: ['Dig'] } };
  expect((await post('tasks/act', { action: 'cancel', which })).status).toBe(503);
  expect((await catalog.counts('slow')).cancelled).toBe(500);
  expect(lines.join('\n')).toMatch(
    /log: "ann": cancel of all of .*"scheduled".*: failed, maybe after a part of it: .*the connection is gone/,
  );
  // What is refused before anything happens is no action.
  const before = lines.length;
  expect((await post('tasks/act', { action: 'cancel', which: {} })).status).toBe(400);
  expect(lines).toHaveLength(before);
});

it('A dead task of which the store knows no error stands in a group as well, and is redriven with it', async () => {
  const backend = memoryBackend();
  const { list } = backend.catalog;
  backend.catalog.list = async (...asked) => {
    const { tasks, next } = await list.apply(backend.catalog, asked);
    return { tasks: tasks.map((task) => ({ ...task, errors: [] })), next };
  };
  const { jobs, get, post, catalog } = await startDashboard({ providers: allJobs, jobs: { backend } });
  await jobs.enqueue(LoseLetter);
  await eventually(async () => (await catalog.counts('mail')).dead === 1);
  await catalog.pause('mail');
  const { groups } = (await get<FailureList>('failures')).body;
  expect(groups).toMatchObject([{ job: 'LoseLetter', error: 'no error is known', count: 1 }]);
  const { job, error } = groups[0]!;
  expect((await get<TaskList>(`tasks?state=dead&error=${error}`)).body.tasks).toHaveLength(1);
  const which = { filter: { state: ['dead'], job: [job], error } };
  expect((await post('tasks/act', { action: 'retry', which })).body).toMatchObject({ done: 1 });
});
