import { expect, it } from '@jest/globals';
import { IsEmail, IsInt, IsOptional, Max } from 'class-validator';
import {
  Cron,
  InvalidCursorError,
  InvalidParamsError,
  Job,
  JobNotProvidedError,
  Periodic,
  type Task,
} from 'nestjs-jobs';
import { z } from 'zod';
import { eventually } from '../support/app.js';
import { describeCatalog } from './fixtures/catalog-stage.js';

class WelcomeParams {
  @IsEmail() to!: string;
  @IsOptional() @IsInt() @Max(3) copies?: number = 1;
}

@Job({ name: 'Welcome', queue: 'mail', params: WelcomeParams, retries: 0 })
class Welcome {
  run({ to }: WelcomeParams): void {
    if (to.startsWith('no')) throw new RangeError(`no host for ${to}`);
  }
}

@Job({ name: 'Idle', queue: 'idle', params: z.object({ n: z.number() }) })
class Idle {
  run(_params: { n: number }): void {}
}

class Clocks {
  ticks = 0;

  @Cron('0 8 1 * *', { name: 'Invoices', timeZone: 'Africa/Accra', queue: 'clocks' })
  invoices(): void {
    this.ticks++;
  }
}

const providers = [Welcome, Idle, Clocks];

describeCatalog('The catalog at a glance', (start) => {
  it('shows queues with depth, age, pause, throughput and who serves them', async () => {
    const { jobs, catalog, runner } = await start({ providers, options: { runner: { autoStart: false } } });
    await jobs.enqueue(Welcome, { to: 'ada@example.com' });
    await jobs.enqueue(Welcome, { to: 'no@example.com' });
    await jobs.enqueue(Welcome, { to: 'ada@example.com' }, { in: '1h' });
    await catalog.pause('mail', { for: '10m' });
    await catalog.pause('idle');
    const queues = await catalog.queues();
    expect(queues.map(({ name }) => name)).toEqual(['clocks', 'idle', 'mail']);
    const [, idle, mail] = queues;
    expect(mail).toMatchObject({
      depth: 2,
      counts: { waiting: 2, scheduled: 1 },
      isPaused: true,
      runners: [],
    });
    expect(mail!.oldestWaitingMs).toBeLessThan(60_000);
    expect(mail!.pausedForMs).toBeGreaterThan(540_000);
    expect(mail!.pausedForMs).toBeLessThanOrEqual(600_000);
    expect(idle).toMatchObject({ depth: 0, isPaused: true });
    expect([idle!.pausedForMs, idle!.oldestWaitingMs]).toEqual([undefined, undefined]);
    expect([mail!.minutes.length, mail!.hours.length]).toEqual([60, 168]);

    await catalog.resume('mail');
    await runner.start();
    await eventually(async () => {
      const { minutes } = await catalog.queue('mail');
      return minutes.some(({ succeeded }) => succeeded > 0) && minutes.some(({ dead }) => dead > 0);
    });
    const after = await catalog.queue('mail');
    const sum = (spans: typeof after.minutes) =>
      spans.reduce((all, span) => all + span.succeeded + span.failed, 0);
    expect([sum(after.minutes), sum(after.hours)]).toEqual([2, 2]);
    expect(after.minutes.at(-1)!.at.getTime() - after.minutes[0]!.at.getTime()).toBe(59 * 60_000);
    const live = await catalog.runners();
    expect(live).toMatchObject([
      {
        ...{ pid: process.pid, concurrency: 10, host: expect.any(String), version: expect.any(String) },
        ...{ startedAt: expect.any(Date), seenAt: expect.any(Date), running: 0, tasks: [] },
      },
    ]);
    expect(live[0]!.queues.map(({ name }) => name).sort()).toEqual(['clocks', 'idle', 'mail']);
    expect(after).toMatchObject({ depth: 0, isPaused: false, runners: [live[0]!.name] });
    await runner.stop();
    expect(await catalog.runners()).toEqual([]);
  });

  it('shows a queue that nobody knows as an empty one', async () => {
    const { catalog } = await start({ providers });
    expect(await catalog.queue('unknown')).toMatchObject({ name: 'unknown', depth: 0, isPaused: false });
    expect(await catalog.queueNames()).toEqual(['clocks', 'idle', 'mail']);
  });

  it('shows jobs with their runs, last failure, mean times and schedules, those that never ran, too', async () => {
    const { jobs, catalog } = await start({ providers, options: { runner: {} } });
    await jobs.enqueue(Welcome, { to: 'ada@example.com' });
    await jobs.enqueue(Welcome, { to: 'no@example.com' });
    await jobs.enqueue(Idle, { n: 1 }, { every: '1h', id: 'hourly', from: new Date(Date.now() + 3_600_000) });
    await eventually(async () => {
      const welcome = (await catalog.jobs()).find(({ name }) => name === 'Welcome')!;
      return welcome.runs.succeeded + welcome.runs.failed === 2;
    });
    const [idle, invoices, welcome] = await catalog.jobs();
    expect(welcome).toMatchObject({
      ...{ name: 'Welcome', queues: ['mail'], isProvided: true, isEnqueuable: true },
      ...{ runs: { succeeded: 1, failed: 1, dead: 1, cancelled: 0, lost: 0 } },
      ...{ lastRunAt: expect.any(Date), lastFailureAt: expect.any(Date) },
      ...{ lastError: expect.stringContaining('no host for no@example.com') },
      ...{ schedules: { count: 0, some: [], complete: true } },
    });
    expect(welcome!.meanRunMs).toBeLessThan(60_000);
    expect(welcome!.meanWaitMs).toBeGreaterThanOrEqual(0);
    expect(invoices).toMatchObject({
      ...{ name: 'Invoices', queues: ['clocks'], isProvided: true, isEnqueuable: false },
      ...{ lastRunAt: undefined, meanRunMs: undefined },
      ...{ schedules: { count: 1, some: [{ queue: 'clocks', id: 'Invoices' }], complete: true } },
    });
    expect(idle).toMatchObject({
      ...{ name: 'Idle', runs: { succeeded: 0 } },
      ...{ schedules: { count: 1, some: [{ queue: 'idle', id: 'hourly' }], complete: true } },
    });
  });

  it('shows schedules in words and in pages, and what became of their slots', async () => {
    const ran: string[] = [];
    @Periodic('1s', { name: 'Beat', queue: 'beats' })
    class Beat {
      run(_: void, { id }: Task): void {
        ran.push(id);
      }
    }
    const { jobs, catalog } = await start({ providers: [...providers, Beat], options: { runner: {} } });
    for (let n = 0; n < 7; n++)
      await jobs.enqueue(Idle, { n }, { cron: `${n} 8 * * *`, id: `daily ${n}`, timeZone: 'Asia/Tokyo' });
    await eventually(async () => ((await catalog.schedule('Beat'))?.lastSlots.length ?? 0) > 0);
    const beat = (await catalog.schedule({ queue: 'beats', id: 'Beat' }))!;
    expect(beat).toMatchObject({ words: 'every second', isDeclared: true, isPaused: false });
    expect(beat.lastSlots[0]).toEqual({
      slot: expect.any(Date),
      task: expect.any(String),
      outcome: 'succeeded',
      at: expect.any(Date),
    });
    expect(ran).toContain(beat.lastSlots[0]!.task);
    expect(beat.nextSlots).toHaveLength(5);
    expect(beat.nextSlots[1]!.getTime() - beat.nextSlots[0]!.getTime()).toBe(1_000);
    expect(await catalog.schedule('Invoices')).toMatchObject({
      words: 'at 08:00 on the first of the month, Africa/Accra',
      lastSlots: [],
    });
    await catalog.pauseSchedule('daily 3');
    const ids: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await catalog.schedules({ queue: ['idle', 'clocks'] }, { limit: 3, after });
      expect(page.schedules.length).toBeLessThanOrEqual(3);
      ids.push(...page.schedules.map(({ id }) => id));
      if (page.next === undefined) break;
      after = page.next;
    }
    const all = ['Invoices', ...Array.from({ length: 7 }, (_, n) => `daily ${n}`)];
    expect(ids.toSorted()).toEqual(all);
    expect(ids.at(-1)).toBe('daily 3');
    const found = async (filter: Parameters<typeof catalog.schedules>[0]) =>
      (await catalog.schedules(filter)).schedules.map(({ id }) => id).sort();
    expect(await found({ isPaused: true })).toEqual(['daily 3']);
    expect(await found({ job: 'Idle', isPaused: false })).toHaveLength(6);
    expect(await found({ text: 'accra' })).toEqual(['Invoices']);
    expect(await found({ text: 'at 08:05' })).toEqual(['daily 5']);
    expect(await found({ queue: 'mail' })).toEqual([]);
    await expect(catalog.schedules({}, { after: 'nonsense' })).rejects.toThrow(InvalidCursorError);
    await expect(catalog.schedules({ isPaused: 'yes' as never })).rejects.toThrow(/isPaused is "yes"/);
    await expect(catalog.schedules({ state: 'dead' } as never)).rejects.toThrow(/filter\.state/);
  });

  it('enqueues by name what a form says, checked as by class', async () => {
    const { catalog } = await start({ providers });
    const { id, status } = await catalog.enqueue('Welcome', { to: 'ada@example.com' }, { in: '1h' });
    expect(status).toBe('enqueued');
    expect(await catalog.task(id)).toMatchObject({
      state: 'scheduled',
      job: 'Welcome',
      params: { to: 'ada@example.com', copies: 1 },
    });
    const wrong = { to: 'ada', copies: 9 };
    const violations = await catalog.checkParams('Welcome', wrong);
    expect(violations.map(({ path }) => path).sort()).toEqual(['copies', 'to']);
    expect(await catalog.checkParams('Welcome', { to: 'ada@example.com' })).toEqual([]);
    await expect(catalog.enqueue('Welcome', wrong)).rejects.toThrow(InvalidParamsError);
    await expect(catalog.enqueue('Nobody', {})).rejects.toThrow(JobNotProvidedError);
    await expect(catalog.enqueue('Invoices')).rejects.toThrow(/runSchedule/);
    await expect(catalog.enqueue('Welcome', { to: 'ada@example.com' }, { in: 'soon' })).rejects.toThrow(
      /in is/,
    );
    expect(await catalog.counts()).toMatchObject({ scheduled: 1, waiting: 0 });
  });

  it('describes the params of a job for a form', async () => {
    const { catalog } = await start({ providers });
    expect(catalog.paramsSchema('Welcome')).toEqual({
      job: 'Welcome',
      source: 'class',
      fields: [
        { name: 'to', type: 'string', required: true, constraints: { format: 'email' } },
        { name: 'copies', type: 'integer', required: false, default: 1, constraints: { maximum: 3 } },
      ],
    });
    expect(catalog.paramsSchema('Idle')).toEqual({
      job: 'Idle',
      source: 'schema',
      fields: [{ name: 'n', type: 'number', required: true }],
    });
    expect(catalog.paramsSchema('Invoices')).toEqual({ job: 'Invoices', source: 'none' });
    expect(() => catalog.paramsSchema('Nobody')).toThrow(JobNotProvidedError);
  });
});
