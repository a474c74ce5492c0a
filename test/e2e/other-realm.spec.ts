import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { InvalidParamsError, Job } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { start } from './fixtures/start.js';

// Jest gives a test file globals of its own; what Node's core makes is from another realm, as `instanceof` sees it.

const nowhere = '/no/such/file';

/** A schema that has to read a file first: whatever it answers is a promise of Node's core. */
const slowSchema = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown): Promise<{ value: string } | { issues: { message: string }[] }> =>
      readFile('package.json').then(() =>
        typeof value === 'string' ? { value: value.toUpperCase() } : { issues: [{ message: 'no text' }] },
      ),
  },
};

describe('a schema that answers with a promise of another realm', () => {
  async function startChecked() {
    const ran: unknown[] = [];
    @Job({ name: 'Checked', params: slowSchema })
    class Checked {
      run(params: string): void {
        ran.push(params);
      }
    }
    return { ...(await start({ providers: [Checked], realTime: true })), ran, Checked };
  }

  it('is awaited at enqueue and at run', async () => {
    expect(slowSchema['~standard'].validate('x')).not.toBeInstanceOf(Promise);
    const { jobs, ran, Checked } = await startChecked();
    await jobs.enqueue(Checked, 'text');
    await eventually(() => ran.length > 0);
    expect(ran).toEqual(['TEXT']);
  });

  it('may refuse', async () => {
    const { jobs, catalog, Checked } = await startChecked();
    await expect(jobs.enqueue(Checked, 5 as never)).rejects.toBeInstanceOf(InvalidParamsError);
    await expect(jobs.enqueue(Checked, 5 as never)).rejects.toThrow('no text');
    expect(await catalog.counts('default')).toMatchObject({ waiting: 0, pending: 0, parked: 0 });
  });
});

describe('an error of another realm', () => {
  it.each([
    ['throws', () => readFileSync(nowhere)],
    ['rejects with', () => readFile(nowhere)],
  ])('that a handler %s is stored by its name, message and stack', async (_, work) => {
    let thrown: unknown;
    @Job({ name: 'Reading', retries: 0 })
    class Reading {
      async run(): Promise<void> {
        try {
          await work();
        } catch (error) {
          thrown = error;
          throw error;
        }
      }
    }
    const app = await start({ providers: [Reading], realTime: true });
    const { id } = await app.jobs.enqueue(Reading);
    await eventually(async () => (await app.catalog.task(id))?.state === 'dead');
    expect(thrown).not.toBeInstanceOf(Error);
    expect((await app.catalog.task(id))?.errors).toMatchObject([
      {
        name: 'Error',
        message: expect.stringMatching(/^ENOENT: no such file/),
        stack: expect.stringMatching(/^Error: ENOENT/),
      },
    ]);
  });

  it('is kept with its stack as the cause of a failure that a handler states', async () => {
    @Job({ name: 'Stating' })
    class Stating {
      run(_: void, task: { fail(reason: Error, options: object): never }): void {
        try {
          readFileSync(nowhere);
        } catch (error) {
          task.fail(error as Error, { retry: false });
        }
      }
    }
    const app = await start({ providers: [Stating] });
    const { id } = await app.jobs.enqueue(Stating);
    await app.advance(0);
    expect((await app.catalog.task(id))?.errors).toMatchObject([
      {
        name: 'TaskFailedError',
        message: expect.stringMatching(/^ENOENT/),
        stack: expect.stringMatching(/caused by Error: ENOENT/),
      },
    ]);
  });
});
