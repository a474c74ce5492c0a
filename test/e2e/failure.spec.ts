import { describe, expect, it } from '@jest/globals';
import { Job, type EnqueueOptions, type JobOptions, type JobsOptions, type Task } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const second = 1_000;
const day = 86_400_000;

type Rules = Pick<JobOptions, 'retries' | 'backoff' | 'jitter'>;

/** The delays between the attempts of a task that always fails, in milliseconds, until it is dead. */
async function delays(
  job: Rules,
  call?: EnqueueOptions,
  defaults?: JobsOptions['defaults'],
): Promise<number[]> {
  const runs: number[] = [];
  @Job(job)
  class Failing {
    run(): void {
      runs.push(app.now());
      throw new Error('no');
    }
  }
  const app = await start({ providers: [Failing], options: { defaults, retention: { dead: false } } });
  const { id } = await app.jobs.enqueue(Failing, undefined, call);
  await app.advance(1_000 * day);
  const record = await app.catalog.task(id);
  expect(record).toMatchObject({ state: 'dead', attempt: runs.length, failures: runs.length });
  return runs.slice(1).map((at, index) => at - runs[index]!);
}

describe('the delays between attempts', () => {
  it('are 2, 8, 18 and 32 seconds by default, to the millisecond', async () => {
    let runs = 0;
    @Job()
    class Failing {
      run(): void {
        runs++;
        throw new Error('no');
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(0);
    expect(runs).toBe(1);
    for (const [index, delay] of [2, 8, 18, 32].entries()) {
      await app.advance(delay * second - 1);
      expect(runs).toBe(index + 1);
      await app.advance(1);
      expect(runs).toBe(index + 2);
    }
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', attempt: 5, failures: 5 });
    await app.advance(day - 1);
    expect(runs).toBe(5);
  });

  it('follow the number of retries', async () => {
    expect(await delays({ retries: 0 })).toEqual([]);
    expect(await delays({ retries: 2 })).toEqual([2_000, 8_000]);
    expect(await delays({ retries: 6 })).toEqual([2_000, 8_000, 18_000, 32_000, 50_000, 72_000]);
  });

  it('are those of a list of retries, one run for each', async () => {
    expect(await delays({ retries: ['1s', 500, '3m'] })).toEqual([1_000, 500, 180_000]);
  });

  it('are the same each time with a single duration', async () => {
    expect(await delays({ retries: 3, backoff: '7s' })).toEqual([7_000, 7_000, 7_000]);
    expect(await delays({ retries: 2, backoff: { type: 'fixed', delay: '7s' } })).toEqual([7_000, 7_000]);
  });

  it('go through a list, whose last entry repeats', async () => {
    expect(await delays({ retries: 4, backoff: ['1s', '5s'] })).toEqual([1_000, 5_000, 5_000, 5_000]);
  });

  it('grow exponentially or as a power, up to a maximum', async () => {
    expect(await delays({ retries: 4, backoff: { type: 'exponential', delay: '1s' } })).toEqual([
      1_000, 2_000, 4_000, 8_000,
    ]);
    expect(
      await delays({ retries: 4, backoff: { type: 'exponential', delay: 100, factor: 3, max: '1s' } }),
    ).toEqual([100, 300, 900, 1_000]);
    expect(
      await delays({ retries: 3, backoff: { type: 'polynomial', delay: '1s', factor: 3, max: '20s' } }),
    ).toEqual([1_000, 8_000, 20_000]);
  });

  it('are what a function makes of the failures and the error', async () => {
    const backoff = (failures: number, error: unknown) => failures * 100 + (error as Error).message.length;
    expect(await delays({ retries: 3, backoff })).toEqual([102, 202, 302]);
  });

  it('may be 0: the task runs again at once', async () => {
    expect(await delays({ retries: 3, backoff: 0 })).toEqual([0, 0, 0]);
  });

  it('fall back to the default where a backoff function throws or answers nonsense', async () => {
    const throws = (): never => {
      throw new Error('bad rule');
    };
    expect(await delays({ retries: 2, backoff: throws })).toEqual([2_000, 8_000]);
    for (const nonsense of [NaN, -5, Infinity, 'soon', undefined, null, {}])
      expect(await delays({ retries: 1, backoff: () => nonsense as never })).toEqual([2_000]);
  });

  it('get longer by jitter, never shorter', async () => {
    const seen = new Set<number>();
    for (let tries = 0; tries < 20; tries++) {
      const [delay] = await delays({ retries: 1, backoff: '10s', jitter: 0.5 });
      expect(delay).toBeGreaterThanOrEqual(10_000);
      expect(delay).toBeLessThanOrEqual(15_000);
      seen.add(delay!);
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  it('come from the call before the job, and from the job before the module', async () => {
    const module = { retries: 1, backoff: '1s' };
    expect(await delays({}, undefined, module)).toEqual([1_000]);
    expect(await delays({ retries: 2, backoff: '2s' }, undefined, module)).toEqual([2_000, 2_000]);
    expect(await delays({ retries: 2, backoff: '2s' }, { retries: 3, backoff: '3s' }, module)).toEqual([
      3_000, 3_000, 3_000,
    ]);
    expect(await delays({ retries: undefined }, { retries: undefined, backoff: undefined }, module)).toEqual([
      1_000,
    ]);
    expect(await delays({ retries: 5, backoff: '9s' }, { retries: ['1s', '4s'] })).toEqual([1_000, 4_000]);
    expect(await delays({ retries: ['1s', '4s'] }, { retries: 0 })).toEqual([]);
  });

  it('come from retryDelay before backoff and jitter', async () => {
    const runs: number[] = [];
    const asked: [number, string][] = [];
    @Job({ retries: 2, backoff: '1h', jitter: 1 })
    class Failing {
      run(): void {
        runs.push(app.now());
        throw new Error(`try ${runs.length}`);
      }
      async retryDelay(failures: number, error: unknown) {
        asked.push([failures, (error as Error).message]);
        return `${failures * 5}s`;
      }
    }
    const app = await start({ providers: [Failing] });
    await app.jobs.enqueue(Failing);
    await app.advance(60 * second);
    expect(runs.map((at) => at - runs[0]!)).toEqual([0, 5_000, 15_000]);
    expect(asked).toEqual([
      [1, 'try 1'],
      [2, 'try 2'],
    ]);
  });

  it('come from backoff where retryDelay throws or answers nonsense, and the log says so', async () => {
    for (const answer of ['soon', undefined, NaN, new Error('broken')]) {
      const runs: number[] = [];
      @Job({ retries: 1, backoff: '3s' })
      class Failing {
        run(): void {
          runs.push(app.now());
          throw new Error('no');
        }
        retryDelay(): never {
          if (answer instanceof Error) throw answer;
          return answer as never;
        }
      }
      const app = await start({ providers: [Failing] });
      await app.jobs.enqueue(Failing);
      await app.advance(60 * second);
      expect(runs.map((at) => at - runs[0]!)).toEqual([0, 3_000]);
      expect(app.lines).toContainEqual(
        expect.objectContaining({ level: 'error', message: expect.stringContaining('retryDelay') }),
      );
    }
  });
});

describe('a job whose shouldRetry', () => {
  async function runsWith(answer: (failures: number, task?: Task) => unknown, retries = 2): Promise<number> {
    let runs = 0;
    @Job({ retries, backoff: '1s' })
    class Failing {
      run(): void {
        runs++;
        throw new Error('no');
      }
      shouldRetry(failures: number): never {
        return answer(failures) as never;
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(60 * second);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', attempt: runs, failures: runs });
    return runs;
  }

  it('says no, at once or later, is dead then', async () => {
    expect(await runsWith(() => false)).toBe(1);
    expect(await runsWith(async () => false)).toBe(1);
    expect(await runsWith((failures) => failures < 2)).toBe(2);
  });

  it('says yes runs no more often than its retries allow', async () => {
    expect(await runsWith(() => true)).toBe(3);
    expect(await runsWith(async () => true, 0)).toBe(1);
  });

  it('throws, rejects or answers nonsense is retried as if it had none', async () => {
    expect(
      await runsWith(() => {
        throw new Error('broken');
      }),
    ).toBe(3);
    expect(await runsWith(() => Promise.reject(new Error('broken')))).toBe(3);
    for (const nonsense of [undefined, 'maybe', {}, NaN]) expect(await runsWith(() => nonsense)).toBe(3);
  });

  it('is no function, like its retryDelay, is retried as if it had neither', async () => {
    const runs: number[] = [];
    @Job({ retries: 2, backoff: '1s' })
    class Failing {
      shouldRetry = true;
      retryDelay = '1h';
      run(): void {
        runs.push(app.now());
        throw new Error('no');
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(3_600 * second);
    expect(runs.map((at) => at - runs[0]!)).toEqual([0, 1_000, 2_000]);
    const record = await app.catalog.task(id);
    expect(record?.state).toBe('dead');
    expect(record?.errors.map(({ message }) => message)).toEqual(['no', 'no', 'no']);
  });
});
