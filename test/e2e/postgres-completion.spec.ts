import { describe, expect, it } from '@jest/globals';
import pg, { type PoolClient } from 'pg';
import {
  Job,
  LeaseLostError,
  TransactionNotSupportedError,
  type JobQueue,
  type JobsOptions,
  type Task,
} from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { gate } from './fixtures/gate.js';
import { beside, newSchema, postgresUrl, startOnPostgres } from './fixtures/postgres-stage.js';

type Act = (note: string, task: Task) => unknown;

/** A job whose run is `act`, what its `afterRun` was told, and the attempts. */
function acting(act: Act, backoff: '20ms' | '1h' = '20ms') {
  const attempts: number[] = [];
  const told: [success: boolean, willRetry: boolean][] = [];
  @Job({ queue: 'acting', name: 'Acting', retries: 5, backoff })
  class Acting {
    run(note: string, task: Task) {
      attempts.push(task.attempt);
      return act(note, task);
    }
    afterRun(success: boolean, task: Task) {
      told.push([success, task.willRetry]);
    }
  }
  return { Acting, attempts, told };
}

async function started(act: (stage: Stage) => Act, options: JobsOptions = {}, backoff?: '20ms' | '1h') {
  const stage = {} as Stage;
  const job = acting((note, task) => act(stage)(note, task), backoff);
  const app = await startOnPostgres({ providers: [job.Acting], options });
  const write = (client: unknown, note: string) => (client as PoolClient).query(app.noteSql, [note]);
  return { ...app, ...job, ...Object.assign(stage, { write, schema: app.schema, jobs: app.jobs }) };
}

interface Stage {
  readonly schema: string;
  readonly jobs: JobQueue;
  write(client: unknown, note: string): Promise<unknown>;
}

const errors = (lines: readonly { level: string; message: string }[]) =>
  lines.filter(({ level }) => level === 'error').map(({ message }) => message);

describe('task.transaction', () => {
  it('commits what the run has said about its task along with the success, once', async () => {
    const app = await started(({ write }) => async (note, task) => {
      task.log('before');
      task.progress(90);
      const result = await task.transaction(async (tx) => {
        await write(tx, note);
        task.log('within');
        return note;
      });
      return result;
    });
    const kept = await app.jobs.enqueue(app.Acting, 'kept', { keep: '1h' });
    expect(await app.jobs.result(kept)).toBe('kept');
    const record = await app.catalog.task(kept);
    expect(record?.progress).toEqual({ percent: 90 });
    expect(record?.lines?.map(({ message }) => message)).toEqual(['before', 'within']);
    expect(errors(app.lines)).toEqual([]);
  });

  it('commits what the handler wrote together with the success', async () => {
    const seen: unknown[] = [];
    const app = await started(
      ({ write }) =>
        (note, task) =>
          task.transaction(async (tx) => {
            await write(tx, note);
            seen.push(await app.notes(), await app.stored());
          }),
    );
    await app.jobs.enqueue(app.Acting, 'a');
    await app.isEmpty();
    expect(seen).toEqual([[], 1]);
    expect(await app.notes()).toEqual(['a']);
    await eventually(() => app.told.length > 0);
    expect(app.told).toEqual([[true, false]]);
    expect([app.attempts, errors(app.lines)]).toEqual([[1], []]);
  });

  it('leaves nothing of an attempt that throws in it, which is retried', async () => {
    const app = await started(
      ({ write }) =>
        (note, task) =>
          task.transaction(async (tx) => {
            await write(tx, `${note} ${task.attempt}`);
            if (task.attempt < 3) throw new Error('boom');
          }),
    );
    await app.jobs.enqueue(app.Acting, 'a');
    await app.isEmpty();
    expect(await app.notes()).toEqual(['a 3']);
    expect(app.attempts).toEqual([1, 2, 3]);
    expect(app.told).toEqual([
      [false, true],
      [false, true],
      [true, false],
    ]);
  });

  it('leaves nothing where the commit fails: the task is in retry', async () => {
    const app = await started(
      ({ schema }) =>
        (note, task) =>
          task.transaction(async (tx) => {
            const insert = `INSERT INTO "${schema}".singles VALUES ($1)`;
            await (tx as PoolClient).query(insert, [note]);
            await (tx as PoolClient).query(insert, [note]);
          }),
      {},
      '1h',
    );
    const singles = `"${app.schema}".singles`;
    await beside().query(`CREATE TABLE ${singles} (note text UNIQUE DEFERRABLE INITIALLY DEFERRED)`);
    const { id } = await app.jobs.enqueue(app.Acting, 'a');
    await eventually(async () => (await app.catalog.task({ queue: 'acting', id }))?.state === 'scheduled');
    const record = (await app.catalog.task({ queue: 'acting', id }))!;
    expect(record).toMatchObject({ attempt: 1, failures: 1 });
    expect(record.errors.at(-1)?.message).toContain('duplicate key value');
    expect((await beside().query(`SELECT FROM ${singles}`)).rowCount).toBe(0);
    expect(app.told).toEqual([[false, true]]);
  });

  it('leaves the way to others when its time is over, though it waits for something that never comes', async () => {
    const app = await started(
      ({ write }) =>
        (note, task) =>
          task.transaction(async (tx) => {
            await write(tx, note);
            if (note === 'hangs') await new Promise(() => undefined);
          }),
      { runner: { concurrency: 20 } },
    );
    await app.jobs.bulk((bulk) => {
      // As many as may have a transaction at once.
      for (let n = 0; n < 10; n++)
        bulk.enqueue(app.Acting, 'hangs', { timeout: '500ms', retries: 0, keep: '1h' });
    });
    await eventually(() => app.attempts.length === 10);
    await app.jobs.enqueue(app.Acting, 'goes');
    await eventually(async () => (await app.notes()).length > 0);
    expect(await app.notes()).toEqual(['goes']);
  });

  it('does not begin after the time of its run is over', async () => {
    const tried: unknown[] = [];
    const begun: string[] = [];
    const app = await started(() => async (note, task) => {
      await new Promise((resolve) => task.signal.addEventListener('abort', resolve));
      tried.push(await task.transaction(() => begun.push(note)).catch((error: unknown) => error));
    });
    await app.jobs.enqueue(app.Acting, 'late', { timeout: '100ms', retries: 0 });
    await eventually(() => tried.length > 0);
    expect(tried).toEqual([expect.any(LeaseLostError)]);
    expect(begun).toEqual([]);
  });

  it('is the end of the task: what is thrown after it is logged, no more', async () => {
    const app = await started(({ write }) => async (note, task) => {
      await task.transaction((tx) => write(tx, note));
      throw new Error('too late');
    });
    await app.jobs.enqueue(app.Acting, 'a');
    await eventually(() => app.told.length > 0);
    await app.runner.stop();
    expect(await app.notes()).toEqual(['a']);
    expect(await app.stored()).toBe(0);
    expect([app.attempts, app.told]).toEqual([[1], [[true, false]]]);
    expect(errors(app.lines)).toEqual([expect.stringContaining('too late')]);
  });

  it('makes its result the one that is kept', async () => {
    const app = await started(({ write }) => async (note, task) => {
      await task.transaction(async (tx) => {
        await write(tx, note);
        return { of: 'transaction' };
      });
      return { of: 'run' };
    });
    const { id } = await app.jobs.enqueue(app.Acting, 'a', { keep: '1h' });
    await eventually(() => app.told.length > 0);
    await app.runner.stop();
    const record = await app.catalog.task({ queue: 'acting', id });
    expect(record).toMatchObject({ state: 'succeeded', attempt: 1, result: { of: 'transaction' } });
  });

  it('carries what is enqueued with it', async () => {
    const app = await started(
      ({ write, jobs }) =>
        (note, task) =>
          task.transaction(async (tx) => {
            await write(tx, note);
            if (note !== 'first') return;
            await jobs.enqueue(app.Acting, `next of ${task.attempt}`, { transaction: tx });
            if (task.attempt === 1) throw new Error('boom');
          }),
    );
    await app.jobs.enqueue(app.Acting, 'first');
    await eventually(async () => (await app.notes()).length === 2);
    await app.isEmpty();
    expect(await app.notes()).toEqual(['first', 'next of 2']);
  });

  it('waits for its turn where many handlers work in one at once', async () => {
    const app = await started(
      ({ write }) =>
        (note, task) =>
          task.transaction(async (tx) => {
            await (tx as PoolClient).query('SELECT pg_sleep(2)');
            await write(tx, note);
          }),
      { runner: { concurrency: 31 } },
    );
    await app.jobs.bulk((bulk) => {
      for (let n = 0; n < 31; n++) bulk.enqueue(app.Acting, `${n}`);
    });
    await app.isEmpty();
    expect(await app.notes()).toHaveLength(31);
    expect(app.attempts).toEqual(Array(31).fill(1));
  });

  it('is refused by a backend that has none', async () => {
    const failures: unknown[] = [];
    const refused = acting((_, task) =>
      task.transaction(() => undefined).catch((error) => failures.push(error)),
    );
    const { jobs } = await startApp({ providers: [refused.Acting], realTime: true });
    await jobs.enqueue(refused.Acting, 'a');
    await eventually(() => failures.length > 0);
    expect(failures[0]).toBeInstanceOf(TransactionNotSupportedError);
  });
});

describe('A handler', () => {
  it('that uses no transaction is completed once', async () => {
    const app = await started(() => () => 'done');
    await app.jobs.enqueue(app.Acting, 'a');
    await app.isEmpty();
    expect([app.attempts, app.told]).toEqual([[1], [[true, false]]]);
  });

  it('completes its task with a transaction of its own', async () => {
    const app = await started(({ write }) => async (note, task) => {
      const client = await beside().connect();
      try {
        await client.query('BEGIN');
        await write(client, `${note} ${task.attempt}`);
        await task.complete(client, { note });
        if (task.attempt === 1) throw new Error('boom');
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
      if (note === 'b') throw new Error('too late');
    });
    const kept = await app.jobs.enqueue(app.Acting, 'a', { keep: '1h' });
    await app.jobs.enqueue(app.Acting, 'b');
    await eventually(async () => (await app.notes()).length === 2);
    await eventually(() => app.told.length === 4);
    await app.runner.stop();
    expect(await app.notes()).toEqual(['a 2', 'b 2']);
    expect(app.attempts.sort()).toEqual([1, 1, 2, 2]);
    const record = await app.catalog.task({ queue: 'acting', id: kept.id });
    expect(record).toMatchObject({ state: 'succeeded', attempt: 2, result: { note: 'a' } });
    expect(await app.stored()).toBe(1);
  });
});

describe('Two runners on one attempt', () => {
  it('both finish in task.transaction: one commits, of the other nothing stands', async () => {
    const ways = [gate(), gate()];
    const ends: unknown[] = [];
    const job = acting(async (note, task) => {
      const { attempt } = task;
      await task
        .transaction(async (tx) => {
          await (tx as PoolClient).query(first.noteSql, [`${note} ${attempt}`]);
          await ways[attempt - 1]!.opened;
        })
        .then(
          () => ends.push(attempt),
          (error) => ends.push(error),
        );
    });
    const runner = { pollInterval: '50ms', concurrency: 1 } as const;
    const first = await startOnPostgres({ providers: [job.Acting] });
    await first.jobs.enqueue(job.Acting, 'a');
    await eventually(() => job.attempts.length === 1);
    const second = await startOnPostgres({
      providers: [job.Acting],
      options: { prefix: first.schema, runner },
    });
    await first.endLeases();
    await eventually(() => job.attempts.length === 2);
    ways.forEach((way) => way.open());
    await eventually(() => ends.length === 2);
    await second.isEmpty();
    expect(ends.filter((end) => end === 2)).toHaveLength(1);
    expect(ends.filter((end) => end instanceof LeaseLostError)).toHaveLength(1);
    expect(await first.notes()).toEqual(['a 2']);
    expect(job.attempts).toEqual([1, 2]);
  });

  it('cannot be, once the completion only waits for its commit', async () => {
    const [completed, commit] = [gate(), gate()];
    const job = acting(async (note, task) => {
      const client = await beside().connect();
      try {
        await client.query('BEGIN');
        await client.query(first.noteSql, [note]);
        await task.complete(client);
        completed.open();
        await commit.opened;
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    });
    const first = await startOnPostgres({ providers: [job.Acting], options: { runner: { lease: '1s' } } });
    await first.jobs.enqueue(job.Acting, 'a');
    await completed.opened;
    const idle: number[] = [];
    @Job({ queue: 'acting', name: 'Idle' })
    class Idle {
      run(n: number) {
        idle.push(n);
      }
    }
    const runner = { pollInterval: '100ms' } as const;
    const options = { prefix: first.schema, runner };
    const second = await startOnPostgres({ providers: [Idle], options });
    // The lease is long over when these have run, one after the other.
    const until = performance.now() + 2_500;
    for (let n = 0; performance.now() < until; n++) {
      await second.jobs.enqueue(Idle, n);
      await eventually(() => idle.length === n + 1);
    }
    commit.open();
    await second.isEmpty();
    expect(await first.notes()).toEqual(['a']);
    expect(job.attempts).toEqual([1]);
  });
});

describe('A commit whose answer is lost', () => {
  it.each([0, '1h'] as const)('has done the task, once, with keep %s; the runner goes on', async (keep) => {
    const address = new URL(postgresUrl);
    const proxy = await TcpProxy.to(Number(address.port));
    address.host = `127.0.0.1:${proxy.port}`;
    const app = await started(
      ({ write }) =>
        (note, task) =>
          task.transaction((tx) => write(tx, note)),
      { backend: address.href },
    );
    await app.jobs.enqueue(app.Acting, 'before');
    await app.isEmpty();
    const lost = proxy.loseReplyTo('COMMIT');
    const { id } = await app.jobs.enqueue(app.Acting, 'lost', { keep });
    await lost;
    await app.jobs.enqueue(app.Acting, 'after');
    await eventually(async () => (await app.notes()).includes('after'));
    await eventually(() => app.told.length === 3);
    await app.runner.stop();
    expect(await app.notes()).toEqual(['after', 'before', 'lost']);
    expect(app.attempts).toEqual([1, 1, 1]);
    expect(await app.stored()).toBe(keep === 0 ? 0 : 1);
    if (keep !== 0)
      expect(await app.catalog.task({ queue: 'acting', id })).toMatchObject({
        state: 'succeeded',
        failures: 0,
      });
  });
});

describe('A connection that falls silent in task.transaction', () => {
  const runner = { lease: '1s', pollInterval: '100ms', concurrency: 1 } as const;

  async function behindProxy() {
    const address = new URL(postgresUrl);
    const proxy = await TcpProxy.to(Number(address.port));
    address.host = `127.0.0.1:${proxy.port}`;
    return { proxy, url: address.href, options: { backend: address.href, runner } };
  }

  it.each([
    ['in the work', 'a connection of ours'],
    ['at the completion', 'a connection of ours'],
    ['in the work', 'a pool of the application that pipelines'],
  ] as const)(
    'is given up when the attempt times out, %s, on %s: the task runs again, and its effect is there once',
    async (when, whose) => {
      const { proxy, url, options: byUrl } = await behindProxy();
      const prefix = await newSchema();
      const pool = new pg.Pool({
        connectionString: url,
        application_name: prefix,
        pipeline: true,
        allowExitOnIdle: true,
      });
      pool.on('error', () => undefined);
      const options = {
        ...byUrl,
        prefix,
        ...(whose !== 'a connection of ours' && { backend: postgresBackend({ pool }) }),
      };
      const app = await started(
        ({ write }) =>
          (note, task) =>
            task.transaction(async (tx) => {
              await write(tx, `${note} ${task.attempt}`);
              if (task.attempt > 1) return;
              // All that is open says nothing any more; new connections work.
              proxy.hold('both');
              proxy.pass();
              if (when === 'in the work') await write(tx, 'never answered');
            }),
        options,
      );
      const silent = app.schema;
      await app.jobs.enqueue(app.Acting, 'a', { timeout: '2s' });
      await eventually(() => app.attempts.length === 2);
      // Nor does it keep what it had locked.
      const open = `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND state LIKE 'idle in transaction%'`;
      await eventually(async () => (await beside().query(open, [silent])).rowCount === 0);
      await app.isEmpty();
      expect(await app.notes()).toEqual(['a 2']);
      expect(app.attempts).toEqual([1, 2]);
    },
    120_000,
  );

  it('and does not answer the commit is given up some time after the lease: the slot is free, the task is done', async () => {
    const { proxy, options } = await behindProxy();
    const app = await started(
      ({ write }) =>
        (note, task) =>
          task.transaction((tx) => write(tx, note)),
      options,
    );
    proxy.silenceAt('COMMIT');
    await app.jobs.enqueue(app.Acting, 'a');
    await eventually(async () => (await app.notes()).length === 1);
    await app.jobs.enqueue(app.Acting, 'b');
    await eventually(async () => (await app.notes()).length === 2);
    await app.isEmpty();
    expect(await app.notes()).toEqual(['a', 'b']);
    expect(app.attempts).toEqual([1, 1]);
  }, 120_000);
});
