import { describe, expect, it } from '@jest/globals';
import type {
  EnqueueAnswer,
  FailureList,
  JobDetails,
  JobList,
  Overview,
  ScheduleDetails,
  ScheduleList,
  TaskActed,
  TaskDetails,
  TaskList,
  TaskPreview,
} from '../../lib/dashboard/api.js';
import { eventually } from '../support/app.js';
import {
  allJobs,
  closeGate,
  Dig,
  gate,
  KeepSecret,
  LoseLetter,
  RedirectLetter,
  SendLetter,
} from './fixtures/dashboard-jobs.js';
import { places, startDashboard, type AdapterName, type StageOptions } from './fixtures/dashboard-stage.js';

const stages: [AdapterName, string][] = [
  ['express', 'memory'],
  ['fastify', 'redis'],
  ['express', 'postgres'],
];

describe.each(stages)("The dashboard's API on %s and %s", (adapter, place) => {
  const start = async (options: StageOptions = {}) =>
    startDashboard({
      adapter,
      providers: allJobs,
      ...options,
      jobs: { runner: false, ...options.jobs, ...(await places[place]!()) },
    });

  it('lists tasks by filters, page by page', async () => {
    const { jobs, get } = await start();
    for (let at = 0; at < 7; at++)
      await jobs.enqueue(SendLetter, { to: `a${at}@example.com` }, { id: `letter-${at}` });
    await jobs.enqueue(Dig, undefined, { in: '1h' });

    const first = await get<TaskList>('tasks?state=waiting&queue=mail&limit=5');
    const second = await get<TaskList>(`tasks?state=waiting&queue=mail&limit=5&after=${first.body.next}`);
    expect(first.body.tasks.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4].map((at) => `letter-${at}`));
    expect(second.body.tasks.map(({ id }) => id)).toEqual(['letter-5', 'letter-6']);
    expect(second.body.next).toBeUndefined();

    // A slow store answers with a part of it in time.
    const all = async (query: string, after = ''): Promise<TaskList['tasks']> => {
      const { tasks, next } = (await get<TaskList>(`tasks?${query}${after && `&after=${after}`}`)).body;
      return next === undefined ? tasks : [...tasks, ...(await all(query, next))];
    };
    expect(await all('state=waiting&state=scheduled&backwards=true')).toHaveLength(8);
    expect(await all('text=A3@EXAMPLE')).toMatchObject([
      { id: 'letter-3', job: 'SendLetter', state: 'waiting', params: '{"to":"a3@example.com","copies":1}' },
    ]);
    expect(await all('job=Dig')).toMatchObject([{ state: 'scheduled', queue: 'slow' }]);
    expect(await all('to=1')).toEqual([]);
  });

  it('tells all of one task that may be seen', async () => {
    const { jobs, get } = await start();
    await jobs.enqueue(
      SendLetter,
      { to: 'a@example.com' },
      { id: 'one/of many?', priority: 3, timeout: '9s' },
    );
    const { body } = await get<TaskDetails>(`task?queue=mail&id=${encodeURIComponent('one/of many?')}`);
    expect(body).toMatchObject({
      id: 'one/of many?',
      state: 'waiting',
      priority: 3,
      params: { json: { to: 'a@example.com', copies: 1 } },
      errors: [],
      lines: [],
      actions: ['cancel', 'remove'],
    });
    expect(body.extra).toMatchObject({ json: { timeoutMs: 9_000 } });
    expect(typeof body.enqueuedAt).toBe('number');
    // Its queue need not be known.
    expect((await get(`task?id=${encodeURIComponent('one/of many?')}`)).status).toBe(200);
    const missing = await get('task?queue=mail&id=none');
    expect([missing.status, missing.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('tells of each attempt and of the last run when it began, how long it took, and who had it', async () => {
    const { jobs, get, catalog } = await start({ jobs: { runner: {} }, providers: [RedirectLetter] });
    const { id } = await jobs.enqueue(RedirectLetter);
    await eventually(async () => (await catalog.task({ queue: 'mail', id }))?.state === 'succeeded');
    const { body } = await get<TaskDetails>(`task?queue=mail&id=${id}`);
    const runner = (await catalog.runners())[0]!.name;
    const { errors, lastRun } = (await catalog.task({ queue: 'mail', id }))!;
    const { startedAt, runMs } = errors[0]!;
    expect(body.errors).toMatchObject([
      { name: 'RangeError', attempt: 1, startedAt: startedAt!.getTime(), runMs, runner },
    ]);
    expect(body.lastRun).toEqual({
      startedAt: lastRun!.startedAt.getTime(),
      endedAt: body.finishedAt,
      runMs: lastRun!.runMs,
      runner,
    });

    const { components } = (await get('openapi.json')).body;
    const { properties } = components.schemas.JobsTaskDetails;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(body)));
    expect(Object.keys(properties.lastRun.properties)).toEqual(Object.keys(body.lastRun!));
    expect(Object.keys(properties.errors.items.properties)).toEqual(
      expect.arrayContaining(Object.keys(body.errors[0]!)),
    );
  });

  it('tells no last run of a task that ended without one', async () => {
    const { jobs, get, catalog } = await start();
    await jobs.enqueue(Dig, undefined, { id: 'never' });
    await catalog.cancel({ queue: 'slow', id: 'never' });
    const { body } = await get<TaskDetails>('task?queue=slow&id=never');
    expect([body.state, body.lastRun]).toEqual(['cancelled', undefined]);
  });

  it('hides what a job hides', async () => {
    const { jobs, get } = await start();
    await jobs.enqueue(KeepSecret, { secret: 'hunter2', open: 'yes' } as never, { id: 'x' });
    const task = await get('task?queue=mail&id=x');
    const list = await get('tasks?queue=mail');
    expect(task.body.params.json.open).toBe('yes');
    expect(JSON.stringify([task.body, list.body])).not.toContain('hunter2');
    expect((await get<TaskList>('tasks?text=hunter2')).body.tasks).toEqual([]);
  });

  it('names the number before it acts on one, on some, and on all that match', async () => {
    const { jobs, post, catalog, lines } = await start({ dashboard: { user: () => 'ann' } });
    for (let at = 0; at < 9; at++) await jobs.enqueue(Dig, undefined, { id: `dig-${at}`, in: '1h' });
    await jobs.enqueue(Dig, undefined, { id: 'waits' });
    const some = { refs: ['dig-0', 'dig-1', 'waits', 'gone'].map((id) => ({ queue: 'slow', id })) };
    const all = { filter: { state: ['scheduled'], job: ['Dig'] } };

    expect((await post<TaskPreview>('tasks/preview', { action: 'runNow', which: some })).body).toEqual({
      count: 2,
      isComplete: true,
    });
    expect((await post<TaskActed>('tasks/act', { action: 'runNow', which: some })).body).toEqual({
      done: 2,
      requested: 0,
      left: 1,
      taken: 0,
      missing: 1,
    });
    expect((await catalog.counts('slow')).waiting).toBe(3);

    expect((await post<TaskPreview>('tasks/preview', { action: 'cancel', which: all })).body).toEqual({
      count: 7,
      isComplete: true,
      asOf: expect.any(Number),
    });
    const first = await post<TaskActed>('tasks/act', { action: 'cancel', which: all, limit: 4 });
    expect(first.body).toMatchObject({ done: 4 });
    const rest = await post<TaskActed>('tasks/act', {
      action: 'cancel',
      which: all,
      limit: 4,
      after: first.body.next,
    });
    expect(rest.body.done).toBe(3);

    const cancelled = { filter: { state: ['cancelled'] } };
    expect((await post<TaskActed>('tasks/act', { action: 'retry', which: cancelled })).body.done).toBe(7);
    const waiting = { filter: { state: ['waiting'], queue: ['slow'] } };
    expect((await post<TaskActed>('tasks/act', { action: 'remove', which: waiting })).body.done).toBe(10);
    expect(await catalog.count({})).toEqual({ count: 0, complete: true });
    expect(lines.filter((line) => line.includes('"ann"'))).toHaveLength(5);
    expect(lines).toContain(
      'log: "ann": runNow of "slow/dig-0", "slow/dig-1", "slow/waits", "slow/gone": 2 done, 1 left, 1 missing',
    );
  });

  it('groups failures, and redrives a group', async () => {
    const { jobs, get, post, catalog } = await start({ jobs: { runner: {} } });
    for (const why of ['order 1 is gone', 'order 22 is gone', 'no paper'])
      await jobs.enqueue(LoseLetter, { why });
    await eventually(async () => (await catalog.counts('mail')).dead === 3);
    const { body } = await get<FailureList>('failures');
    expect(body).toMatchObject({
      count: 3,
      isComplete: true,
      groups: [
        { job: 'LoseLetter', error: 'RangeError: order # is gone', count: 2, queues: ['mail'] },
        { error: 'RangeError: no paper', count: 1 },
      ],
    });
    const [{ job, error, sample }] = body.groups as [FailureList['groups'][number]];
    const task = await get<TaskDetails>(`task?queue=mail&id=${sample.id}`);
    expect(task.body.errors).toMatchObject([{ name: 'RangeError', attempt: 1 }]);
    expect(task.body.errors[0]!.stack).toContain('dashboard-jobs');

    await catalog.pause('mail');
    const group = { filter: { state: ['dead'], job: [job], error } };
    expect((await post<TaskPreview>('tasks/preview', { action: 'retry', which: group })).body.count).toBe(2);
    expect((await post<TaskActed>('tasks/act', { action: 'retry', which: group })).body.done).toBe(2);
    expect(await catalog.counts('mail')).toMatchObject({ waiting: 2, dead: 1 });
  });

  it('shows queues, runners, what they run and how far it is, and what has run', async () => {
    closeGate();
    const { jobs, get, post } = await start({ jobs: { runner: {} } });
    await jobs.enqueue(SendLetter, { to: 'a@example.com' });
    const { id } = await jobs.enqueue(Dig);
    let overview!: Overview;
    await eventually(async () => {
      ({ body: overview } = await get<Overview>('overview'));
      const task = overview.runners.flatMap(({ tasks }) => tasks).find((one) => one.id === id);
      const mail = overview.queues.find(({ name }) => name === 'mail');
      return task?.progress?.percent === 40 && mail!.charts.hour.succeeded.includes(1);
    });
    expect(overview.counts).toMatchObject({ pending: 1, succeeded: 1, waiting: 0 });
    expect(overview.charts.hour.succeeded).toHaveLength(60);
    expect(overview.charts.day.succeeded).toHaveLength(24);
    // It may have run in the minute, and in the hour, before this one.
    expect(overview.charts.day.succeeded.slice(-2)).toContain(1);
    expect(overview.runners).toMatchObject([
      {
        pid: process.pid,
        running: 1,
        tasks: [{ queue: 'slow', job: 'Dig', attempt: 1, progress: { percent: 40, note: 'digging' } }],
      },
    ]);
    expect(overview.queues.find(({ name }) => name === 'slow')!.runners).toEqual([overview.runners[0]!.name]);
    const task = await get<TaskDetails>(`task?id=${id}`);
    expect(task.body).toMatchObject({
      state: 'pending',
      runner: overview.runners[0]!.name,
      actions: ['cancel'],
    });
    expect(task.body.runningMs).toBeGreaterThan(0);

    const cancel = { action: 'cancel', which: { refs: [{ queue: 'slow', id }] } };
    expect((await post<TaskActed>('tasks/act', cancel)).body).toMatchObject({ requested: 1, done: 0 });
    await eventually(async () => (await get<TaskDetails>(`task?id=${id}`)).body.state === 'cancelled');
    expect((await get<TaskDetails>(`task?id=${id}`)).body.lines).toMatchObject([
      { message: 'found a stone' },
    ]);
    gate.open();
  });

  it('pauses a queue for a time, and resumes it', async () => {
    const { get, post, catalog, lines } = await start();
    const paused = await post('queues/act', { action: 'pause', queue: 'mail', forMs: 60_000 });
    expect(paused.body).toMatchObject({ name: 'mail', isPaused: true });
    expect(paused.body.pausedForMs).toBeGreaterThan(50_000);
    const { body } = await get<Overview>('overview');
    expect(body.queues.find(({ name }) => name === 'mail')!.isPaused).toBe(true);
    expect((await post('queues/act', { action: 'resume', queue: 'mail' })).body.isPaused).toBe(false);
    expect(await catalog.isPaused('mail')).toBe(false);
    expect((await post('queues/act', { action: 'pause', queue: 'mial' })).error.code).toBe('NOT_FOUND');
    expect(lines.filter((line) => line.startsWith('log: somebody: '))).toEqual([
      'log: somebody: pause of queue "mail" for 1 minute',
      'log: somebody: resume of queue "mail"',
    ]);
  });

  it('tells schedules in words, with their slots, and steers them', async () => {
    const { get, post, catalog } = await start({ jobs: { runner: { queues: ['reports'] } } });
    await eventually(async () => (await get<ScheduleList>('schedules')).body.schedules.length === 1);
    const { schedules } = (await get<ScheduleList>('schedules')).body;
    expect(schedules).toMatchObject([
      { job: 'SendInvoices', rule: '0 8 1 * *', timeZone: 'Africa/Accra', isPaused: false, isDeclared: true },
    ]);
    expect(schedules[0]!.words).toContain('08:00');
    const { queue, id } = schedules[0]!;
    const one = () => get<ScheduleDetails>(`schedule?queue=${queue}&id=${id}`);
    const next = (await one()).body.nextSlots;
    expect(next.map((slot) => new Date(slot).toISOString().slice(8, 19))).toEqual(
      Array(5).fill('01T08:00:00'),
    );
    const act = (action: string) => post('schedules/act', { action, queue, id });

    const ran = await act('run');
    expect(ran.body).toMatchObject({ outcome: 'done', task: { queue } });
    await eventually(
      async () => (await catalog.counts(queue)).waiting + (await catalog.counts(queue)).pending === 0,
    );
    expect((await act('pause')).body).toEqual({ outcome: 'done' });
    expect((await get<ScheduleList>('schedules?isPaused=true')).body.schedules).toHaveLength(1);
    expect((await get<ScheduleList>('schedules?isPaused=false')).body.schedules).toEqual([]);
    expect((await act('resume')).body).toEqual({ outcome: 'done' });
    expect((await act('remove')).body).toEqual({ outcome: 'done' });
    expect((await act('remove')).error.code).toBe('NOT_FOUND');
    expect((await one()).status).toBe(404);
  });

  it('describes the params of a job, checks them field by field, and enqueues', async () => {
    const { get, post, catalog } = await start();
    expect((await get<JobList>('jobs')).body.jobs.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Dig', 'SendLetter']),
    );
    const { body } = await get<JobDetails>('job?name=SendLetter');
    expect(body).toMatchObject({ isEnqueuable: true, queues: ['mail'], form: { source: 'class' } });
    expect(body.form!.fields).toMatchObject([
      { name: 'to', type: 'string', required: true, constraints: { format: 'email' } },
      { name: 'copies', type: 'integer', required: false, default: 1 },
    ]);
    expect((await get('job?name=Nobody')).status).toBe(404);

    const bad = { job: 'SendLetter', params: { to: 'nobody', copies: 99 } };
    const check = await post('jobs/check', bad);
    expect(check.body.violations.map(({ path }: { path: string }) => path).sort()).toEqual(['copies', 'to']);
    const refused = await post('jobs/enqueue', bad);
    expect([refused.status, refused.error.code]).toEqual([422, 'INVALID_PARAMS']);
    expect(refused.error.violations).toEqual(check.body.violations);

    const good = {
      job: 'SendLetter',
      params: { to: 'a@example.com' },
      options: { id: 'mine', in: '1h', priority: -5 },
    };
    expect((await post<EnqueueAnswer>('jobs/enqueue', good)).body).toEqual({
      queue: 'mail',
      id: 'mine',
      status: 'enqueued',
    });
    expect((await post<EnqueueAnswer>('jobs/enqueue', good)).body.status).toBe('existing');
    expect(await catalog.task({ queue: 'mail', id: 'mine' })).toMatchObject({
      state: 'scheduled',
      priority: -5,
    });
    const odd = await post('jobs/enqueue', { ...good, options: { in: 'soon' } });
    expect([odd.status, odd.error.violations![0]!.path]).toEqual([400, 'in']);
    expect((await post('jobs/enqueue', { job: 'Nobody' })).status).toBe(404);
    const vetoed = await post('jobs/enqueue', { job: 'Particular' });
    expect([vetoed.status, vetoed.error]).toEqual([
      409,
      { code: 'CONFLICT', message: 'the application refused it: TypeError: not on a Sunday' },
    ]);
  });
});
