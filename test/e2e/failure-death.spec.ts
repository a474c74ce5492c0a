import { describe, expect, it } from '@jest/globals';
import { Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { Job, type Task } from 'nestjs-jobs';
import { z } from 'zod';
import { start } from './fixtures/start.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;
const day = 86_400_000;

describe('a dead task', () => {
  it('stays until retention.dead has passed', async () => {
    @Job({ retries: 0 })
    class Failing {
      run(): void {
        throw new Error('no');
      }
    }
    const app = await start({ providers: [Failing], options: { retention: { dead: '1h' } } });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(3_600 * second - 1);
    expect((await app.catalog.task(id))?.state).toBe('dead');
    await app.advance(1);
    expect(await app.catalog.task(id)).toBeUndefined();
  });

  it('stays a day by default, and for good with retention.dead: false', async () => {
    @Job({ retries: 0 })
    class Failing {
      run(): void {
        throw new Error('no');
      }
    }
    const usual = await start({ providers: [Failing] });
    const keeping = await start({ providers: [Failing], options: { retention: { dead: false } } });
    for (const app of [usual, keeping]) {
      await app.jobs.enqueue(Failing, undefined, { id: 'a' });
      await app.advance(day - 1);
      expect((await app.catalog.task('a'))?.state).toBe('dead');
    }
    await usual.advance(1);
    expect(await usual.catalog.task('a')).toBeUndefined();
    await keeping.advance(3_650 * day);
    expect((await keeping.catalog.task('a'))?.state).toBe('dead');
  });

  it('starts anew by the catalog, with attempts and delays from the beginning; a live one is left alone', async () => {
    const runs: { at: number; attempt: number; failures: number }[] = [];
    let isMended = false;
    @Job({ retries: ['1s', '5s'] })
    class Failing {
      run(_: void, task: Task): void {
        runs.push({ at: app.now(), attempt: task.attempt, failures: task.failures });
        if (!isMended || task.attempt < 3) throw new Error('no');
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing, undefined, { keep: '1h' });
    expect(await app.catalog.retry(id)).toBe('left');
    await app.advance(10 * second);
    isMended = true;
    runs.length = 0;
    expect(await app.catalog.retry(id)).toBe('done');
    await app.advance(10 * second);
    expect(runs.map(({ at }) => at - runs[0]!.at)).toEqual([0, 1_000, 6_000]);
    expect(runs.map(({ attempt, failures }) => [attempt, failures])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    expect((await app.catalog.task(id))?.state).toBe('succeeded');
    expect(await app.catalog.retry('nobody')).toBe('missing');
  });
});

describe('a params validator that throws at run', () => {
  let isBroken = false;
  @ValidatorConstraint({ name: 'flaky' })
  class Flaky implements ValidatorConstraintInterface {
    validate(): boolean {
      if (isBroken) throw new Error('the validator is broken');
      return true;
    }
  }
  class FlakyParams {
    @Validate(Flaky) value!: string;
  }

  it('fails the attempt like any throw, and the task runs when it works again', async () => {
    isBroken = false;
    const seen: string[] = [];
    @Job({ params: FlakyParams })
    class Checked {
      run(params: FlakyParams): void {
        seen.push(params.value);
      }
    }
    const app = await start({ providers: [Checked] });
    const { id } = await app.jobs.enqueue(Checked, { value: 'a' });
    isBroken = true;
    await app.advance(0);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'scheduled',
      attempt: 1,
      failures: 1,
      errors: [{ message: expect.stringContaining('the validator is broken') }],
    });
    isBroken = false;
    await app.advance(2 * second);
    expect(seen).toEqual(['a']);
  });

  it('ends in death when it never works again, for a schema as well', async () => {
    let isBroken = false;
    const schema = z.object({ value: z.string() }).refine(() => {
      if (isBroken) throw new Error('the schema is broken');
      return true;
    });
    @Job({ params: schema, retries: 1, backoff: '1s' })
    class Checked {
      run(_: { value: string }): void {}
    }
    const app = await start({ providers: [Checked] });
    const { id } = await app.jobs.enqueue(Checked, { value: 'a' });
    isBroken = true;
    await app.advance(10 * second);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', attempt: 2, failures: 2 });
  });
});

describe('a task that was delivered above its maximum', () => {
  it('is not run and is dead, for it kept ending its process', async () => {
    let runs = 0;
    @Job({ retries: 2 })
    class Deadly {
      run(): void {
        runs++;
      }
    }
    const { before, trouble } = new TroubledStore();
    trouble.claim = async (go) => {
      const claim = await go();
      return { ...claim, tasks: claim.tasks.map((task) => ({ ...task, attempt: 4 })) };
    };
    const app = await start({ providers: [Deadly], before });
    const { id } = await app.jobs.enqueue(Deadly);
    await app.advance(0);
    expect(runs).toBe(0);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'dead',
      errors: [{ name: 'AttemptsExhaustedError' }],
    });
    expect(app.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        context: 'Deadly',
        message: expect.stringContaining('dead'),
      }),
    );
  });

  it('is dead after its process ended in the middle of every attempt', async () => {
    let runs = 0;
    @Job({ retries: 4 })
    class Deadly {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Deadly], options: { runner: { autoStart: false } } });
    const { id, queue } = await app.jobs.enqueue(Deadly);
    const kill = () =>
      app.store.tasks.claim({ queues: [{ queue, limit: 1 }], limit: 1, leaseMs: 20_000, runner: 'killed' });
    for (let times = 0; times < 5; times++) {
      expect((await kill()).tasks).toHaveLength(1);
      await app.advance(20 * second);
    }
    await app.runner.start();
    await app.advance(60 * second);
    expect(runs).toBe(0);
    const record = await app.catalog.task(id);
    expect(record).toMatchObject({ state: 'dead', attempt: 5, failures: 5 });
    expect(record?.errors.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  });
});
