import { describe, expect, it } from '@jest/globals';
import {
  Cron,
  InvalidOptionError,
  Job,
  JobHooks,
  Periodic,
  type EnqueueOptions,
  type JobHandler,
  type LockPhase,
  type Overlap,
  type Task,
  type UniqueOptions,
} from 'nestjs-jobs';
import { gate, type Gate } from './fixtures/gate.js';
import { yearly } from './fixtures/recurring.js';
import { start, type StartOptions } from './fixtures/start.js';

const second = 1_000;
const minute = 60_000;

/** A job whose runs go on until the test ends them; it is recurring by its decorator, or by a call. */
async function startBeats(
  unique: UniqueOptions,
  { overlap, every = '1m', ...more }: StartOptions & { overlap?: Overlap; every?: string | false } = {},
) {
  const runs: Gate[] = [];
  const began: (number | string)[] = [];
  const act = async (task: Task): Promise<void> => {
    const end = gate();
    runs.push(end);
    began.push(task.slot ? (task.slot.getTime() - beganAt) / minute : task.id);
    await end.opened;
  };
  @Periodic(every || '1m', { unique, overlap, disabled: every === false })
  class Beat {
    run(_: void, task: Task): Promise<void> {
      return act(task);
    }
  }
  const app = await start({ ...more, providers: [Beat, ...(more.providers ?? [])] });
  const beganAt = app.now();
  await app.advance(0);
  return {
    ...{ app, Beat, began },
    counts: async () => {
      const { fired, skipped } = (await app.catalog.schedule('Beat'))!;
      return { fired, skipped };
    },
    enqueue: (options?: EnqueueOptions) => app.jobs.enqueue(Beat, undefined, options),
    endAll: async () => {
      for (const run of runs.splice(0)) run.open();
      await app.advance(0);
    },
  };
}

describe('A slot of a unique job', () => {
  it.each<[LockPhase, Overlap]>([
    ['until_executed', 'skip'],
    ['until_executed', 'queue'],
    ['until_completed', 'skip'],
    ['until_completed', 'queue'],
  ])('makes no task while one of an earlier slot holds %s, with overlap %s', async (lock, overlap) => {
    const { app, began, counts, endAll } = await startBeats({ lock }, { overlap });
    await app.advance(3 * minute);
    expect(began).toEqual([0]);
    expect(await counts()).toEqual({ fired: 1, skipped: 3 });
    await endAll();
    await app.advance(minute);
    expect(began).toEqual([0, 4]);
    expect(await counts()).toEqual({ fired: 2, skipped: 3 });
    expect(await app.catalog.counts('default')).toMatchObject({ pending: 1, waiting: 0, dead: 0 });
    await endAll();
  });

  it('makes no task while one that was enqueued by hand holds the lock, counts it and says so', async () => {
    const { app, began, counts, enqueue, endAll } = await startBeats({ lock: 'until_completed' });
    await endAll();
    expect(await enqueue({ id: 'by hand' })).toMatchObject({ status: 'enqueued' });
    await app.advance(minute);
    expect(began).toEqual([0, 'by hand']);
    expect(await counts()).toEqual({ fired: 1, skipped: 1 });
    const slot = new Date(app.now()).toISOString();
    expect(app.lines).toContainEqual({
      level: 'log',
      context: 'Beat',
      message: `schedule Beat: slot ${slot} is skipped, task by hand holds its lock`,
    });
    await endAll();
    await app.advance(minute);
    expect(began).toEqual([0, 'by hand', 2]);
    await endAll();
  });

  it('keeps others out in its turn', async () => {
    const { app, enqueue, endAll } = await startBeats({ lock: 'until_completed' });
    const { lastTask } = (await app.catalog.schedule('Beat'))!;
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: lastTask });
    await endAll();
    expect(await enqueue()).toMatchObject({ status: 'enqueued' });
    await app.advance(0);
    await endAll();
  });

  it('is skipped without more ado where a conflict is to raise: nobody is there to hear it', async () => {
    const unique = { lock: 'until_completed', onConflict: 'raise' } as const;
    const { app, counts, endAll } = await startBeats(unique, { overlap: 'queue' });
    await app.advance(2 * minute);
    expect(await counts()).toEqual({ fired: 1, skipped: 2 });
    expect(app.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    await endAll();
    await app.advance(minute);
    expect(await counts()).toEqual({ fired: 2, skipped: 2 });
    await endAll();
  });

  it('takes the place of a task that has not started, where a conflict is to replace', async () => {
    const unique = { lock: 'until_completed', onConflict: 'replace' } as const;
    const { app, began, counts, enqueue, endAll } = await startBeats(unique, { overlap: 'queue' });
    await endAll();
    await enqueue({ id: 'by hand', in: '1h' });
    await app.advance(minute);
    expect(began).toEqual([0, 1]);
    expect(await counts()).toEqual({ fired: 2, skipped: 0 });
    expect((await app.catalog.schedule('Beat'))?.lastTask).toBe('by hand');
    expect(await app.catalog.task('by hand')).toMatchObject({ state: 'pending', scheduleId: 'Beat' });
    await endAll();
  });

  it('may make its task while an earlier one runs, with until_executing, and not while one waits', async () => {
    const { app, began, counts, endAll } = await startBeats(
      { lock: 'until_executing' },
      { overlap: 'queue', options: { runner: { concurrency: 2 } } },
    );
    await app.advance(4 * minute);
    expect(began).toEqual([0, 1]);
    expect(await counts()).toEqual({ fired: 3, skipped: 2 });
    await endAll();
    await app.advance(0);
    expect(began).toEqual([0, 1, 2]);
    await endAll();
  });

  it('makes its task all the same with while_executing, which is cancelled at its run', async () => {
    const { app, began, counts, endAll } = await startBeats(
      { lock: 'while_executing' },
      { overlap: 'queue' },
    );
    await app.advance(2 * minute);
    expect(began).toEqual([0]);
    expect(await counts()).toEqual({ fired: 3, skipped: 0 });
    expect(await app.catalog.counts('default')).toMatchObject({ pending: 1, cancelled: 2 });
    await endAll();
  });

  it('waits its turn with while_executing and reschedule: one run after the other', async () => {
    const unique = { lock: 'while_executing', onConflict: 'reschedule', retryAfter: '10s' } as const;
    const { app, began, counts, endAll } = await startBeats(unique, { overlap: 'queue' });
    await app.advance(2 * minute);
    expect(began).toEqual([0]);
    expect(await counts()).toEqual({ fired: 3, skipped: 0 });
    for (const [turn] of [1, 2].entries()) {
      await endAll();
      await app.advance(10 * second);
      expect(began).toHaveLength(turn + 2);
    }
    await endAll();
  });

  it('replaces a running task with until_executing, or with while_executing and reschedule', async () => {
    for (const unique of [
      { lock: 'until_executing' },
      { lock: 'while_executing', onConflict: 'reschedule', retryAfter: '1s' },
    ] as const) {
      const { app, began, endAll } = await startBeats(unique, { overlap: 'replace' });
      const first = (await app.catalog.schedule('Beat'))!.lastTask!;
      await app.advance(minute);
      expect(await app.catalog.task(first)).toMatchObject({ cancelRequested: true });
      await endAll();
      await app.advance(second);
      expect(began).toEqual([0, 1]);
      await endAll();
    }
  });

  it.each<UniqueOptions>([
    { lock: 'until_executed' },
    { lock: 'until_completed', onConflict: 'replace' },
    { lock: 'while_executing' },
    { lock: 'while_executing', onConflict: 'raise' },
  ])(
    'does not replace a running task that holds %j: it would stop that one, and be rejected',
    async (unique) => {
      @Cron(yearly, { name: 'yearly', unique, overlap: 'replace' })
      class Beat {
        run(): void {}
      }
      const message = `Beat: overlap is "replace", but must be 'skip' or 'queue' with the lock ${unique.lock}`;
      await expect(start({ providers: [Beat] })).rejects.toThrow(InvalidOptionError);
      await expect(start({ providers: [Beat] })).rejects.toThrow(message);

      @Job({ unique })
      class Called {
        run(): void {}
      }
      const app = await start({ providers: [Called] });
      const calling = app.jobs.enqueue(Called, undefined, { every: '1m', overlap: 'replace' });
      await expect(calling).rejects.toThrow('Called: overlap is "replace"');
    },
  );

  it('tells afterEnqueue that its task was not stored', async () => {
    const told: string[] = [];
    @JobHooks()
    class Told {
      afterEnqueue(success: boolean, { slot }: Task): void {
        told.push(`${slot ? 'slot' : 'by hand'} ${success}`);
      }
    }
    const { app, enqueue, endAll } = await startBeats({ lock: 'until_completed' }, { providers: [Told] });
    await endAll();
    await enqueue();
    await app.advance(minute);
    expect(told).toEqual(['slot true', 'by hand true', 'slot false']);
    await endAll();
  });

  it('tells afterEnqueue which task was stored, where that is one which gave way', async () => {
    const told: string[] = [];
    @JobHooks()
    class Told {
      afterEnqueue(success: boolean, { id, slot }: Task): void {
        told.push(`${slot ? 'slot' : id} ${success}: ${id}`);
      }
    }
    const unique = { lock: 'until_completed', onConflict: 'replace' } as const;
    const { app, enqueue, endAll } = await startBeats(unique, { overlap: 'queue', providers: [Told] });
    await endAll();
    await enqueue({ id: 'by hand', in: '1h' });
    await app.advance(minute);
    expect(told.slice(1)).toEqual(['by hand true: by hand', 'slot true: by hand']);
    await endAll();
  });

  it('that runSchedule makes is refused as any other', async () => {
    const { app, began, endAll } = await startBeats({ lock: 'until_completed' });
    expect(await app.catalog.runSchedule('Beat')).toBe('taken');
    expect(await app.catalog.counts('default')).toMatchObject({ pending: 1, waiting: 0 });
    await endAll();
    const run = await app.catalog.runSchedule('Beat');
    expect(run).toEqual({ queue: 'default', id: expect.any(String) });
    await app.advance(0);
    expect(began).toHaveLength(2);
    await endAll();
  });

  it('that runSchedule makes answers the task that it has replaced', async () => {
    const unique = { lock: 'until_completed', onConflict: 'replace' } as const;
    const { app, enqueue, endAll } = await startBeats(unique);
    await endAll();
    await enqueue({ id: 'by hand', in: '1h' });
    expect(await app.catalog.runSchedule('Beat')).toEqual({ queue: 'default', id: 'by hand' });
    await app.advance(0);
    await endAll();
  });
});

describe('A schedule that a call puts for a unique job', () => {
  async function startReports(unique: UniqueOptions) {
    const began: string[] = [];
    const runs: Gate[] = [];
    @Job({ unique })
    class Report implements JobHandler<{ to: string }> {
      async run({ to }: { to: string }): Promise<void> {
        const end = gate();
        runs.push(end);
        began.push(to);
        await end.opened;
      }
    }
    const app = await start({ providers: [Report] });
    const enqueue = (to: string, options?: EnqueueOptions) => app.jobs.enqueue(Report, { to }, options);
    const endAll = async () => {
      for (const run of runs.splice(0)) run.open();
      await app.advance(0);
    };
    return { app, enqueue, began, endAll };
  }

  it('has one lock for all its slots, though they may overlap', async () => {
    const { app, enqueue, began, endAll } = await startReports({ lock: 'until_completed' });
    expect(await enqueue('ada', { id: 'ada', every: '1m' })).toMatchObject({ status: 'enqueued' });
    await app.advance(2 * minute);
    expect(began).toEqual(['ada']);
    expect(await app.catalog.schedule('ada')).toMatchObject({ fired: 1, skipped: 2 });
    await endAll();
    await app.advance(minute);
    expect(began).toEqual(['ada', 'ada']);
    await endAll();
  });

  it('takes no lock itself: it is not a task', async () => {
    const { enqueue } = await startReports({ lock: 'until_completed' });
    await enqueue('ada', { id: 'one', every: '1h', from: new Date('2031-01-01') });
    expect(await enqueue('ada', { id: 'two', in: '1h' })).toMatchObject({ status: 'enqueued' });
    expect(await enqueue('ada', { id: 'three', every: '1h' })).toMatchObject({ status: 'enqueued' });
  });

  it('shares its lock with another of the same params, and not with one of others', async () => {
    const { app, enqueue, began, endAll } = await startReports({ lock: 'until_completed' });
    await enqueue('ada', { id: 'one', every: '1m' });
    await app.advance(0);
    await enqueue('ada', { id: 'two', every: '1m' });
    await enqueue('grace', { id: 'three', every: '1m' });
    await app.advance(0);
    expect(began).toEqual(['ada', 'grace']);
    expect(await app.catalog.schedule('two')).toMatchObject({ fired: 0, skipped: 1 });
    await endAll();
  });

  it('goes by what the call says of uniqueness, also when it is replaced', async () => {
    const { app, enqueue, began, endAll } = await startReports({ lock: 'until_completed' });
    await enqueue('ada', { id: 'one', every: '1m', unique: false });
    await app.advance(2 * minute);
    expect(began).toHaveLength(3);
    await enqueue('ada', { id: 'one', every: '1m', replace: true, unique: { onConflict: 'raise' } });
    await app.advance(2 * minute);
    expect(began).toHaveLength(4);
    await endAll();
  });
});

describe('The key of a schedule from code', () => {
  it('is made of the params that it has, by uniqueBy where there is one, once at the start', async () => {
    const asked: unknown[] = [];
    @Periodic('1m', { with: { shop: 7 }, unique: { lock: 'until_completed' } })
    class Restock implements JobHandler<{ shop: number }> {
      uniqueBy({ shop }: { shop: number }): unknown {
        asked.push(shop);
        return shop % 5;
      }
      run(_params: { shop: number }): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const app = await start({ providers: [Restock] });
    await app.advance(2 * minute);
    expect(asked).toEqual([7]);
    const { lastTask } = (await app.catalog.schedule('Restock'))!;
    expect(await app.jobs.enqueue(Restock, { shop: 12 })).toMatchObject({ holder: lastTask });
    expect(await app.jobs.enqueue(Restock, { shop: 8 })).toMatchObject({ status: 'enqueued' });
  });

  it('stops the start where it cannot be made', async () => {
    @Periodic('1m', { with: { shop: 7 }, unique: { lock: 'until_completed', by: ['shp'] } })
    class Restock {
      run(_params: { shop: number }): void {}
    }
    await expect(start({ providers: [Restock] })).rejects.toThrow('Restock: unique.by is ["shp"]');
  });
});
