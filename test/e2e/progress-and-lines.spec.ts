import { describe, expect, it } from '@jest/globals';
import { InvalidOptionError, Job, type Task } from 'nestjs-jobs';
import type { TaskNotes } from '../../lib/task/task-record.js';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;

/** A store that notes what it is told about runs, beside their outcomes and with them. */
class NotingStore extends TroubledStore {
  readonly notes: { with?: string; id: string; notes: TaskNotes }[] = [];

  constructor() {
    super();
    this.trouble.annotate = (go, notes) => {
      this.notes.push(...notes.map(({ id, notes: said }) => ({ id, notes: said })));
      return go();
    };
    this.trouble.settle = (go, settlements) => {
      for (const { id, notes, outcome } of settlements)
        if (notes) this.notes.push({ with: outcome.type, id, notes });
      return go();
    };
  }
}

describe('task.progress', () => {
  it('is stored from 0 to 100, forward and back, with its note', async () => {
    const end = gate();
    let task!: Task;
    @Job({ keep: '1h' })
    class Long {
      async run(_: void, running: Task): Promise<void> {
        task = running;
        await end.opened;
      }
    }
    const app = await start({ providers: [Long] });
    const { id } = await app.jobs.enqueue(Long);
    await app.advance(0);
    const stored = async () => {
      await app.advance(second);
      return (await app.catalog.task(id))?.progress;
    };
    expect(await stored()).toBeUndefined();
    for (const [said, percent] of [
      [120, 100],
      [-20, 0],
      [-0, 0],
      [33.3, 33.3],
      [Infinity, 100],
      [7, 7],
    ] as const) {
      task.progress(said, `said ${said}`);
      expect(await stored()).toEqual({ percent, note: `said ${said}` });
    }
    task.progress(50);
    expect(await stored()).toEqual({ percent: 50 });
    task.progress(99, 'last');
    end.open();
    await settled();
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'succeeded',
      progress: { percent: 99, note: 'last' },
    });
  });

  it.each([[Number.NaN], ['40'], [undefined], [null], [{}], [40n]])(
    'refuses %p, and names the job',
    async (percent) => {
      @Job({ retries: 0 })
      class Wrong {
        run(_: void, task: Task): void {
          task.progress(percent as number);
        }
      }
      const app = await start({ providers: [Wrong] });
      const { id } = await app.jobs.enqueue(Wrong);
      await app.advance(0);
      const record = await app.catalog.task(id);
      expect(record?.errors[0]).toMatchObject({
        name: 'InvalidOptionError',
        message: expect.stringMatching(/^Wrong: progress is .* must be a number from 0 to 100$/),
      });
    },
  );

  it('refuses a note that is no text, and a task that is only being enqueued', async () => {
    const refused: unknown[] = [];
    const attempt = (act: () => void) => {
      try {
        act();
      } catch (error) {
        refused.push(error);
      }
    };
    @Job()
    class Early {
      beforeEnqueue(task: Task): void {
        attempt(() => task.progress(1));
      }
      afterEnqueue(_: boolean, task: Task): void {
        attempt(() => task.progress(1));
      }
      run(_: void, task: Task): void {
        attempt(() => task.progress(1, 2 as never));
      }
    }
    const app = await start({ providers: [Early] });
    await app.jobs.enqueue(Early);
    await app.advance(0);
    expect(refused).toEqual(Array(3).fill(expect.any(InvalidOptionError)));
    expect(refused.map(String)).toEqual([
      expect.stringContaining('Early: progress is 1, but must be told in a run'),
      expect.stringContaining('Early: progress is 1, but must be told in a run'),
      expect.stringContaining('Early: the note of a progress is 2, but must be a text'),
    ]);
  });

  it('of a thousand calls a second, of many tasks, is two writes', async () => {
    const store = new NotingStore();
    const end = gate();
    const tasks: Task[] = [];
    @Job({ keep: '1h' })
    class Busy {
      async run(_: void, task: Task): Promise<void> {
        tasks.push(task);
        await end.opened;
      }
    }
    const app = await start({ providers: [Busy], before: store.before });
    for (let n = 0; n < 10; n++) await app.jobs.enqueue(Busy, undefined, { id: `${n}` });
    await app.advance(0);
    for (let n = 1; n <= 100; n++) {
      for (const task of tasks) task.progress(n);
      await app.advance(10);
    }
    await app.advance(500);
    expect(store.calls.annotate).toBeGreaterThanOrEqual(2);
    expect(store.calls.annotate).toBeLessThanOrEqual(3);
    expect((await app.catalog.task('7'))?.progress).toEqual({ percent: 100 });
  });
});

describe('task.log', () => {
  it('is kept with the task over its attempts, also where the logger is off; in order, with its time', async () => {
    @Job({ retries: 1, backoff: '10s' })
    class Talking {
      beforeEnqueue(task: Task): void {
        task.log('enqueued');
      }
      beforeRun(task: Task): void {
        task.log(`before run ${task.attempt}`);
      }
      run(_: void, task: Task): void {
        task.log(`run ${task.attempt}`);
        throw new Error('no');
      }
      afterRun(_: boolean, task: Task): void {
        task.log(`after run ${task.attempt}`);
      }
    }
    const app = await start({ providers: [Talking], options: { log: false } });
    const startedAt = app.now();
    const { id } = await app.jobs.enqueue(Talking);
    await app.advance(0);
    const lines = (attempt: number, at: number) =>
      ['before run', 'run', 'after run'].map((what) => ({ at: new Date(at), message: `${what} ${attempt}` }));
    expect(await app.catalog.task(id)).toMatchObject({ state: 'scheduled', lines: lines(1, startedAt) });
    await app.advance(10 * second);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'dead',
      lines: [...lines(1, startedAt), ...lines(2, startedAt + 10 * second)],
    });
    expect(app.lines.filter(({ context }) => context === 'Talking')).toEqual([]);
    await app.catalog.retry(id);
    expect((await app.catalog.task(id))?.lines ?? []).toEqual([]);
  });

  it('keeps the latest hundred lines, while the task runs', async () => {
    const end = gate();
    let task!: Task;
    @Job()
    class Long {
      async run(_: void, running: Task): Promise<void> {
        task = running;
        await end.opened;
      }
    }
    const app = await start({ providers: [Long] });
    const { id } = await app.jobs.enqueue(Long);
    await app.advance(0);
    for (let n = 1; n <= 130; n++) {
      task.log(`line ${n}`);
      await app.advance(100);
    }
    await app.advance(second);
    const { lines, state } = (await app.catalog.task(id))!;
    expect(state).toBe('pending');
    expect(lines!.map(({ message }) => message)).toEqual(
      Array.from({ length: 100 }, (_, n) => `line ${n + 31}`),
    );
  });

  it('takes whatever it is given', async () => {
    @Job({ keep: '1h' })
    class Odd {
      run(_: void, task: Task): void {
        for (const message of [{ a: 1 }, undefined, Object.create(null), Symbol('s'), 7n, '', '\0\ud800'])
          task.log(message as string);
      }
    }
    const app = await start({ providers: [Odd] });
    const { id } = await app.jobs.enqueue(Odd);
    await app.advance(0);
    const { lines, state } = (await app.catalog.task(id))!;
    expect(state).toBe('succeeded');
    expect(lines!.map(({ message }) => message)).toEqual([
      '{ a: 1 }',
      'undefined',
      '[Object: null prototype] {}',
      'Symbol(s)',
      '7n',
      '',
      '\0\ud800',
    ]);
  });
});

describe('What a run says', () => {
  it('is never sent where the record goes with the outcome, nor where the run says nothing', async () => {
    const store = new NotingStore();
    @Job({ retries: 0 })
    class Brief {
      run(says: boolean, task: Task<boolean>): void {
        if (says) task.log('hello');
        if (says) task.progress(10);
      }
    }
    const app = await start({ providers: [Brief], before: store.before });
    await app.jobs.enqueue(Brief, true);
    await app.jobs.enqueue(Brief, false, { keep: '1h' });
    await app.advance(10 * second);
    expect(store.calls.settle).toBeGreaterThan(0);
    expect(store.notes).toEqual([]);
  });

  it('goes with every other outcome', async () => {
    const store = new NotingStore();
    @Job({ keep: '1h', retries: 1, backoff: '1h' })
    class Ending {
      run(how: string, task: Task<string>): void {
        task.log(how);
        if (how === 'snoozed') task.snooze('1h');
        if (how === 'retry') throw new Error('no');
        if (how === 'dead') task.fail('no', { retry: false });
      }
    }
    const app = await start({ providers: [Ending], before: store.before });
    const outcomes = ['succeeded', 'retry', 'dead', 'snoozed'];
    for (const id of outcomes) await app.jobs.enqueue(Ending, id, { id });
    await app.advance(0);
    expect(store.calls.annotate).toBe(0);
    expect(store.notes.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      outcomes.toSorted().map((id) => ({
        id,
        with: id,
        notes: { lines: [{ at: expect.any(Number), message: id }] },
      })),
    );
    for (const id of outcomes) expect((await app.catalog.task(id))?.lines).toMatchObject([{ message: id }]);
  });

  it('does not disturb the run, nor delay its outcome, when the store does not take it', async () => {
    for (const trouble of [down, () => new Promise<never>(() => undefined)]) {
      const store = new TroubledStore();
      const end = gate();
      @Job({ keep: '1h' })
      class Long {
        async run(_: void, task: Task): Promise<string> {
          task.progress(10);
          task.log('first');
          await end.opened;
          task.log('last');
          return 'done';
        }
      }
      const app = await start({ providers: [Long], before: store.before });
      const { id } = await app.jobs.enqueue(Long);
      store.trouble.annotate = trouble;
      await app.advance(5 * second);
      expect(store.calls.annotate).toBeGreaterThan(0);
      end.open();
      await settled();
      const record = await app.catalog.task(id);
      expect(record).toMatchObject({ state: 'succeeded', result: 'done', progress: { percent: 10 } });
      expect(record?.lines?.at(-1)).toMatchObject({ message: 'last' });
      if (trouble === down) expect(record?.lines).toMatchObject([{ message: 'first' }, { message: 'last' }]);
      expect(app.lines.filter(({ level }) => level !== 'log')).toEqual([]);
    }
  });

  it('after its timeout is not kept', async () => {
    let task!: Task;
    const end = gate();
    @Job({ timeout: '1s', retries: 0 })
    class Deaf {
      async run(_: void, running: Task): Promise<void> {
        task = running;
        task.log('in time');
        await end.opened;
      }
    }
    const app = await start({ providers: [Deaf] });
    const { id } = await app.jobs.enqueue(Deaf);
    await app.advance(second);
    task.log('too late');
    task.progress(100);
    await app.advance(second);
    const record = await app.catalog.task(id);
    expect(record).toMatchObject({ state: 'dead', lines: [{ message: 'in time' }] });
    expect(record?.progress).toBeUndefined();
    end.open();
  });
});
