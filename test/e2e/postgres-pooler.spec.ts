import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Job, type Task } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually } from '../support/app.js';
import { startPgbouncer } from '../support/servers/pgbouncer.mjs';
import {
  beside,
  newSchema,
  openTransaction,
  postgresUrl,
  startOnPostgres,
} from './fixtures/postgres-stage.js';

let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
beforeAll(async () => void (pooler = await startPgbouncer(postgresUrl)), 120_000);
afterAll(() => pooler?.stop());

/** Two processes, as far as the database can tell, which reach it through the pooler. */
async function pooled(act: (name: string, task: Task) => unknown) {
  const prefix = await newSchema();
  const attempts: [name: string, attempt: number][] = [];
  @Job({ queue: 'acting', name: 'Acting', retries: 5, backoff: '20ms' })
  class Acting {
    async run(name: string, task: Task) {
      attempts.push([name, task.attempt]);
      await act(name, task);
    }
  }
  const start = () =>
    startOnPostgres({
      providers: [Acting],
      options: {
        prefix,
        backend: postgresBackend({ url: pooler.url, notify: false }),
        runner: { pollInterval: '100ms', lease: '2s', concurrency: 20 },
      },
    });
  const [app, other] = [await start(), await start()];
  return { ...app, lines: [app.lines, other.lines], Acting, attempts };
}

describe('Behind PgBouncer in its transaction mode, with notify: false', () => {
  it('tasks are enqueued, also within transactions, run, and complete with what they write', async () => {
    const app = await pooled((name, task) =>
      task.transaction((tx) => (tx as pg.PoolClient).query(app.noteSql, [name])),
    );
    const transaction = new pg.Client(pooler.url);
    await transaction.connect();
    try {
      await transaction.query('BEGIN');
      await app.jobs.enqueue(app.Acting, 'joined', { transaction });
      await transaction.query('COMMIT');
    } finally {
      await transaction.end();
    }
    const names = Array.from({ length: 100 }, (_, n) => `task ${n}`);
    await Promise.all(names.map((name) => app.jobs.enqueue(app.Acting, name)));
    await app.isEmpty();
    expect(await app.notes()).toEqual(['joined', ...names].sort());
    expect(app.attempts).toHaveLength(101);
    for (const lines of app.lines)
      expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('leases are renewed for as long as a run takes', async () => {
    const app = await pooled(() => sleep(5_000));
    await app.jobs.enqueue(app.Acting, 'long');
    await eventually(() => app.attempts.length > 0);
    await app.isEmpty();
    expect(app.attempts).toEqual([['long', 1]]);
  });

  it('nothing is lost when the server ends all of its sessions', async () => {
    const app = await pooled(() => undefined);
    const stored: string[] = [];
    let isOver = false;
    const enqueueing = (async () => {
      for (let n = 0; !isOver; n++) {
        await app.jobs.enqueue(app.Acting, `${n}`);
        stored.push(`${n}`);
      }
    })();
    for (let round = 1; round <= 3; round++) {
      await eventually(() => stored.length > round * 50);
      const { rowCount } = await beside().query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [app.schema],
      );
      expect(rowCount).toBeGreaterThan(0);
    }
    const soFar = stored.length;
    await eventually(() => stored.length > soFar + 50);
    isOver = true;
    await enqueueing;
    await app.isEmpty();
    const ran = new Set(app.attempts.map(([name]) => name));
    expect(stored.filter((name) => !ran.has(name))).toEqual([]);
  });

  it('no transaction pays for a bell that nobody hears', async () => {
    const app = await pooled(() => undefined);
    const heard: string[] = [];
    const listener = new pg.Client(postgresUrl);
    listener.on('notification', ({ payload }) => void heard.push(payload!));
    await listener.connect();
    try {
      const channel = `"${app.schema}:bell"`;
      await listener.query(`LISTEN ${channel}`);
      const transaction = await openTransaction();
      await app.jobs.enqueue(app.Acting, 'quiet', { transaction });
      await transaction.query('COMMIT');
      await transaction.query(`NOTIFY ${channel}, 'the last'`);
      await eventually(() => heard.includes('the last'));
      expect(heard).toEqual(['the last']);
    } finally {
      await listener.end();
    }
  });
});
