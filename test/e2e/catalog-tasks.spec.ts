import { expect, it } from '@jest/globals';
import { InvalidCursorError, InvalidOptionError, Job, type Task } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { allTasks, describeCatalog, idsOf } from './fixtures/catalog-stage.js';

@Job({ name: 'Mail', queue: 'mail', retries: 0 })
class Mail {
  run(params: { to: string; fails?: string }, task: Task): string {
    task.log(`to ${params.to}`);
    task.progress(50, 'half way');
    if (params.fails) throw new RangeError(params.fails);
    return `sent to ${params.to}`;
  }
}

@Job({ name: 'Report', queue: 'reports' })
class Report {
  run(): void {}
}

@Job({ name: 'Charge', queue: 'mail', unique: { lock: 'until_executed' } })
class Charge {
  run(_user: string): void {}
}

const providers = [Mail, Report, Charge];
const running = { runner: {}, retention: { succeeded: '1h' } } as const;

describeCatalog('Tasks in the catalog', (start) => {
  it('are readable: times are dates, params and results are values, errors and lines have their times', async () => {
    const { jobs, catalog } = await start({ providers, options: running });
    await jobs.enqueue(Mail, { to: 'ada' }, { id: 'good', priority: 3, keep: '2h', timeout: '1m' });
    await jobs.enqueue(Mail, { to: 'bob', fails: 'no host' }, { id: 'bad' });
    await eventually(async () => {
      const { succeeded, dead } = await catalog.counts('mail');
      return succeeded === 1 && dead === 1;
    });
    const good = (await catalog.task('good'))!;
    expect(good).toMatchObject({
      ...{ queue: 'mail', id: 'good', job: 'Mail', state: 'succeeded', priority: 3, attempt: 1, failures: 0 },
      ...{ params: { to: 'ada' }, paramsText: '{"to":"ada"}', errors: [], keepMs: 7_200_000 },
      ...{ result: 'sent to ada', resultText: '"sent to ada"', extra: { timeoutMs: 60_000 } },
      ...{
        progress: { percent: 50, note: 'half way' },
        lines: [{ at: expect.any(Date), message: 'to ada' }],
      },
      ...{ enqueuedAt: expect.any(Date), dueAt: expect.any(Date), finishedAt: expect.any(Date) },
      ...{ lock: undefined, runner: undefined, startedAt: undefined, runningMs: undefined },
    });
    expect(Math.abs(good.finishedAt!.getTime() - Date.now())).toBeLessThan(60_000);
    expect(await catalog.task({ queue: 'mail', id: 'bad' })).toMatchObject({
      state: 'dead',
      errors: [{ name: 'RangeError', message: 'no host', attempt: 1, at: expect.any(Date) }],
    });
    expect(await catalog.task('nobody')).toBeUndefined();
  });

  it('stand in one order, however many queues there are that hold none such', async () => {
    const app = await start({ providers });
    const { jobs, catalog } = app;
    const queues = Array.from({ length: 30 }, (_, n) => `q${n + 10}`);
    await jobs.bulk((bulk) => {
      for (const queue of queues) bulk.enqueue(Report, undefined, { queue, id: `now ${queue}` });
      const later = [
        ['q10', 1],
        ['q39', 2],
        ['q10', 3],
        ['q39', 4],
      ] as const;
      for (const [queue, n] of later)
        bulk.enqueue(Report, undefined, { queue, id: `later ${n}`, at: new Date(2_000_000_000_000 + n) });
    });
    const found = await catalog.tasks({ state: 'scheduled' }, { backwards: true });
    expect(idsOf(found.tasks)).toEqual(['later 4', 'later 3', 'later 2', 'later 1']);
    const pages = await allTasks(app, { state: 'waiting' }, { limit: 7 });
    expect(idsOf(pages.flat()).toSorted()).toEqual(queues.map((queue) => `now ${queue}`));
  });

  it('tell of a run that is under way: who, since when, how far', async () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    @Job({ name: 'Long' })
    class Long {
      async run(_: void, task: Task): Promise<void> {
        task.progress(40);
        await gate;
      }
    }
    const { jobs, catalog } = await start({ providers: [Long], options: running });
    const { id } = await jobs.enqueue(Long);
    await eventually(async () => (await catalog.task(id))?.progress?.percent === 40);
    const task = (await catalog.task(id))!;
    expect(task).toMatchObject({ state: 'pending', attempt: 1, runner: expect.any(String) });
    expect(task.startedAt).toBeInstanceOf(Date);
    expect(task.leaseEndsAt!.getTime()).toBeGreaterThan(task.startedAt!.getTime());
    expect(task.runningMs).toBeGreaterThan(0);
    expect(task.runningMs).toBeLessThan(60_000);
    expect(task.waitedMs).toBeLessThan(60_000);
    const [listed] = (await catalog.tasks({ state: 'pending' })).tasks;
    expect(listed!.runningMs).toBeGreaterThanOrEqual(task.runningMs!);
    expect((await catalog.runners()).map(({ name }) => name)).toContain(task.runner);
    open();
  });

  it('tell of their lock, and who holds it', async () => {
    const { jobs, catalog } = await start({ providers });
    await jobs.enqueue(Charge, 'ada', { id: 'first' });
    await catalog.cancel('first');
    await jobs.enqueue(Charge, 'ada', { id: 'second' });
    const lock = { key: expect.any(String), phase: 'until_executed', onConflict: 'reject', holder: 'second' };
    expect(await catalog.task('first')).toMatchObject({ lock });
    expect(await catalog.task('second')).toMatchObject({ lock });
  });

  it('show params that are no JSON as they are', async () => {
    const app = await start({ providers });
    // Written past the application, as another version of it would.
    const { backend } = app.catalog as unknown as { backend: import('nestjs-jobs').Backend };
    const task = { queue: 'mail', id: 'odd', token: 'odd', job: 'Mail', params: '{', priority: 0 };
    await backend.tasks.add([[{ ...task, due: { inMs: 0 }, retries: 0 }]]);
    expect(await app.catalog.task('odd')).toMatchObject({ params: undefined, paramsText: '{' });
  });

  it('are counted by queue, and all together', async () => {
    const { jobs, catalog } = await start({ providers });
    for (const delay of [0, 0, '1h']) await jobs.enqueue(Mail, { to: 'ada' }, { in: delay });
    await jobs.enqueue(Report);
    const none = { scheduled: 0, waiting: 0, pending: 0, succeeded: 0, dead: 0, cancelled: 0, parked: 0 };
    expect(await catalog.counts('mail')).toEqual({ ...none, waiting: 2, scheduled: 1 });
    expect(await catalog.counts()).toEqual({ ...none, waiting: 3, scheduled: 1 });
    expect(await catalog.count({ state: 'waiting' })).toEqual({ count: 3, complete: true });
    expect(await catalog.count({ queue: 'mail' })).toEqual({ count: 3, complete: true });
    expect(await catalog.count({ job: 'Report', text: 'report' })).toEqual({ count: 1, complete: true });
  });

  it('come in pages over several queues and states, each task once', async () => {
    const app = await start({ providers });
    const { jobs, catalog } = app;
    for (let n = 0; n < 13; n++) {
      await jobs.enqueue(Mail, { to: 'ada' }, { id: `m${n}`, at: n + 1 });
      await jobs.enqueue(Report, undefined, { id: `r${n}`, at: 100 - n });
      await jobs.enqueue(Report, undefined, { id: `later${n}`, in: `${n + 1}h` });
    }
    const pages = await allTasks(app, { state: ['scheduled', 'waiting'] }, { limit: 7 });
    const seen = pages.flatMap(idsOf);
    const later = Array.from({ length: 13 }, (_, n) => `later${n}`);
    const early = Array.from({ length: 13 }, (_, n) => `m${n}`);
    const rest = Array.from({ length: 13 }, (_, n) => `r${12 - n}`);
    expect(seen).toEqual([...later, ...early, ...rest]);
    expect(pages.every(({ length }) => length <= 7)).toBe(true);
    const backwards = await allTasks(app, { state: 'waiting' }, { limit: 5, backwards: true });
    expect(backwards.flatMap(idsOf)).toEqual([...early, ...rest].toReversed());
    expect(idsOf((await catalog.tasks({ queue: 'reports', state: 'waiting' }, { limit: 1 })).tasks)).toEqual([
      'r12',
    ]);
    expect(idsOf((await catalog.tasks()).tasks)).toHaveLength(39);
  });

  it('stand on their pages whatever the others do', async () => {
    const app = await start({ providers });
    const { jobs, catalog } = app;
    for (let n = 0; n < 20; n++) await jobs.enqueue(Mail, { to: 'ada' }, { id: `m${n}`, at: n + 1 });
    const first = await catalog.tasks({ queue: 'mail', state: 'waiting' }, { limit: 8 });
    // The last one of the page, and one before and behind it, go; one comes in before.
    for (const id of ['m7', 'm3', 'm8']) await catalog.remove({ queue: 'mail', id });
    await jobs.enqueue(Mail, { to: 'ada' }, { id: 'early', at: 2 });
    const second = await catalog.tasks(
      { queue: 'mail', state: 'waiting' },
      { limit: 100, after: first.next },
    );
    expect(idsOf(second.tasks)).toEqual(Array.from({ length: 11 }, (_, n) => `m${n + 9}`));
  });

  it('are found by job, time and text', async () => {
    const app = await start({ providers });
    const { jobs, catalog } = app;
    await jobs.enqueue(Mail, { to: 'Ada@example.com' }, { id: 'one', at: 1_000 });
    await jobs.enqueue(Mail, { to: 'bob@example.com' }, { id: 'two', at: 2_000 });
    await jobs.enqueue(Report, undefined, { id: 'three', at: 3_000 });
    const found = async (filter: Parameters<typeof catalog.tasks>[0]) => {
      const { tasks, complete, next } = await catalog.tasks(filter);
      expect([complete, next]).toEqual([true, undefined]);
      return idsOf(tasks);
    };
    expect(await found({ job: 'Report' })).toEqual(['three']);
    expect(await found({ job: ['Report', 'Mail'], queue: 'mail' })).toEqual(['one', 'two']);
    expect(await found({ from: 2_000 })).toEqual(['two', 'three']);
    expect(await found({ from: new Date(1_000), to: new Date(2_000) })).toEqual(['one']);
    expect(await found({ text: 'ada@' })).toEqual(['one']);
    expect(await found({ text: 'example.com' })).toEqual(['one', 'two']);
    expect(await found({ text: 'example.com', state: 'dead' })).toEqual([]);
    // An id is looked up: first, and once.
    await jobs.enqueue(Mail, { to: 'three' }, { id: 'four', at: 500 });
    expect(await found({ text: 'three' })).toEqual(['three', 'four']);
    expect(await found({ text: 'three', queue: 'mail' })).toEqual(['four']);
    const page = await catalog.tasks({ text: 'three' }, { limit: 1 });
    expect(idsOf(page.tasks)).toEqual(['three']);
    expect(idsOf((await catalog.tasks({ text: 'three' }, { limit: 1, after: page.next })).tasks)).toEqual([
      'four',
    ]);
  });

  it('are found by a text as one reads it, though quotes and line breaks are stored otherwise', async () => {
    const { jobs, catalog } = await start({ providers });
    await jobs.enqueue(Mail, { to: 'the "Ada" of\nC:\\letters' }, { id: 'one', in: '1h' });
    await jobs.enqueue(Mail, { to: 'daily "Ada"' }, { every: '1h', from: new Date(Date.now() + 3_600_000) });
    for (const text of ['the "ada" of', 'OF\nC:\\letters', '\\"ada\\"', '{"to":"the'])
      expect([text, idsOf((await catalog.tasks({ text })).tasks)]).toEqual([text, ['one']]);
    expect((await catalog.schedules({ text: 'daily "ada"' })).schedules).toHaveLength(1);
    expect((await catalog.count({ text: '"ada"' })).count).toBe(1);
  });

  it('that died are grouped in pieces as short as is asked for, each once', async () => {
    const { jobs, catalog } = await start({ providers, options: { runner: { concurrency: 100 } } });
    const dead = 1_200;
    await jobs.bulk((bulk) => {
      for (let n = 0; n < dead; n++) bulk.enqueue(Mail, { to: 'ada', fails: n % 3 ? 'no host' : 'no name' });
    });
    await eventually(async () => (await catalog.counts('mail')).dead === dead, 30_000);
    const found = new Map<string, number>();
    let [pieces, sum, after] = [0, 0, undefined as string | undefined];
    do {
      const piece = await catalog.failures({ job: 'Mail' }, { within: 1, after });
      expect(piece.complete).toBe(piece.next === undefined);
      for (const { error, count } of piece.groups) found.set(error, (found.get(error) ?? 0) + count);
      sum += piece.count;
      pieces++;
      after = piece.next;
    } while (after !== undefined);
    expect([...found].toSorted()).toEqual([
      ['RangeError: no host', 800],
      ['RangeError: no name', 400],
    ]);
    expect([sum, pieces > 1]).toEqual([dead, true]);
    expect(await catalog.failures()).toMatchObject({ count: dead, complete: true, next: undefined });
    await expect(catalog.failures({}, { within: 'soon' as never })).rejects.toThrow(InvalidOptionError);
    await expect(catalog.count({ text: 'a' }, { after: 'x' })).rejects.toThrow(InvalidCursorError);
  }, 60_000);

  it('are refused what no page gave, or a size that is none', async () => {
    const { jobs, catalog } = await start({ providers });
    for (let n = 0; n < 3; n++) await jobs.enqueue(Mail, { to: 'ada' });
    const { next } = await catalog.tasks({ queue: 'mail' }, { limit: 1 });
    for (const after of ['nonsense', '', `${next}x`, next!.slice(0, 20)])
      await expect(catalog.tasks({ queue: 'mail' }, { after })).rejects.toThrow(InvalidCursorError);
    await expect(catalog.tasks({ queue: 'reports' }, { after: next })).rejects.toThrow(/another filter/);
    await expect(catalog.tasks({ queue: 'mail' }, { after: next, backwards: true })).rejects.toThrow(/order/);
    // A place that the store never gave, in a cursor that is otherwise right.
    const [version, call, digest, place] = JSON.parse(Buffer.from(next!, 'base64url').toString()) as [
      number,
      string,
      string,
      { open: [string, string][] },
    ];
    const forged = { ...place, open: place.open.map(([queue]) => [queue, 'elsewhere']) };
    const after = Buffer.from(JSON.stringify([version, call, digest, forged])).toString('base64url');
    await expect(catalog.tasks({ queue: 'mail' }, { after })).rejects.toThrow(InvalidCursorError);
    for (const limit of [0, 1_001, 1.5, '5' as unknown as number])
      await expect(catalog.tasks({}, { limit })).rejects.toThrow(InvalidOptionError);
    await expect(catalog.tasks({ state: 'done' as never })).rejects.toThrow(/state is "done"/);
    await expect(catalog.tasks({}, { offset: 3 } as never)).rejects.toThrow(/page\.offset/);
  });
});
