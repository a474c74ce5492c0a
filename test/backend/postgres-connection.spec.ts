import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StoreUnavailableError } from '../../lib/backend/errors.js';
import { PgConnection } from '../../lib/backend/postgres/pg-connection.js';
import { eventually } from '../support/app.js';

const sleep = { name: 'sleep', text: 'SELECT pg_backend_pid() AS pid FROM pg_sleep($1::float8)' };

let pool: pg.Pool | undefined;
afterEach(() => pool?.end());

function oneConnection(pipeline = false): PgConnection {
  const config: pg.PoolConfig & { pipeline: boolean } = {
    connectionString: process.env.TEST_POSTGRES_URL,
    max: 1,
    pipeline,
  };
  pool = new pg.Pool(config);
  return new PgConnection('a database', pool, true);
}

it('keeps a connection that is slow only because many asked at once', async () => {
  const connection = oneConnection();
  const [first] = await connection.query(sleep, ['0'], 30_000);
  const calls = await Promise.allSettled([
    connection.query(sleep, ['1'], 30_000),
    // Its turn comes after a second, and it is answered after two: too late for the caller, soon for the connection.
    connection.query(sleep, ['1'], 1_500),
  ]);
  expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect((calls[1] as PromiseRejectedResult).reason).toMatchObject({
    name: StoreUnavailableError.name,
    message: 'a database did not answer within 1500 ms',
  });
  expect(await connection.query(sleep, ['0'], 30_000)).toEqual([first]);
});

it('keeps a connection that was asked by somebody who had little time left', async () => {
  const connection = oneConnection();
  const [first] = await connection.query(sleep, ['0'], 30_000);
  await expect(connection.query(sleep, ['0.3'], 100)).rejects.toThrow('did not answer within 100 ms');
  expect(await connection.query(sleep, ['0'], 30_000)).toEqual([first]);
});

describe.each([
  ['with', true],
  ['without', false],
])('A connection that is silent, %s a pipeline', (_, isPipelined) => {
  it('cuts off a connection that does not answer in its own time, and goes on with another', async () => {
    const connection = oneConnection(isPipelined);
    const [first] = await connection.query(sleep, ['0'], 30_000);
    await expect(connection.query(sleep, ['600'], 500)).rejects.toThrow('did not answer within 500 ms');
    const [second] = await connection.query(sleep, ['0'], 30_000);
    expect(second).not.toEqual(first);
    await ended(first!.pid);
  });

  it('lets nobody wait after the close', async () => {
    const connection = oneConnection(isPipelined);
    const [first] = await connection.query(sleep, ['0'], 30_000);
    const calls = [connection.query(sleep, ['600'], 600_000), connection.query(sleep, ['600'], 600_000)];
    const settled = Promise.allSettled(calls);
    await pause(100);
    connection.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await ended(first!.pid);
  });
});

/** A statement that leaves behind another, and is as long in the server as it is told; and what became of it. */
function sequelOf(seconds: string, statement = sleep) {
  const became: unknown[] = [];
  const sequel = {
    written: () => ({ statement, values: [seconds] }),
    answered: (rows: readonly object[]) => became.push(...rows),
    failed: (error: Error) => became.push(error),
  };
  return { sequel, became };
}

describe.each([
  ['with', true],
  ['without', false],
])('A statement behind another, %s a pipeline', (_, isPipelined) => {
  it('is run after it on the same connection, keeps nobody waiting, and is followed by others', async () => {
    const connection = oneConnection(isPipelined);
    const keeper = new pg.Client(process.env.TEST_POSTGRES_URL);
    await keeper.connect();
    await keeper.query('SELECT pg_advisory_lock(4711)');
    const wait = {
      name: 'wait',
      text: 'SELECT pg_backend_pid() AS pid FROM pg_advisory_lock($1::bigint), pg_advisory_unlock_all()',
    };
    const { sequel, became } = sequelOf('4711', wait);
    // Answered though the one behind it is still waiting.
    const [first] = await connection.query(sleep, ['0'], 30_000, sequel);
    expect(became).toEqual([]);
    const next = connection.query(sleep, ['0'], 30_000);
    await keeper.end();
    expect(await next).toEqual([first]);
    expect(became).toEqual([first]);
  });

  it('is told what the server refuses, and the connection is kept', async () => {
    const connection = oneConnection(isPipelined);
    const { sequel, became } = sequelOf('no number');
    const [first] = await connection.query(sleep, ['0'], 30_000, sequel);
    expect(await connection.query(sleep, ['0'], 30_000)).toEqual([first]);
    expect(became).toMatchObject([{ name: StoreUnavailableError.name, sent: false }]);
  });

  it('may or may not have been run where its connection ends, which is then made anew', async () => {
    const connection = oneConnection(isPipelined);
    const { sequel, became } = sequelOf('600');
    const [first] = await connection.query(sleep, ['0'], 30_000, sequel);
    await ended(first!.pid);
    expect(await connection.query(sleep, ['0'], 30_000)).not.toEqual([first]);
    expect(became).toMatchObject([{ name: StoreUnavailableError.name, sent: true }]);
  });

  it('may or may not have been run where it gets no answer, and its connection is made anew', async () => {
    const connection = oneConnection(isPipelined);
    const { sequel, became } = sequelOf('600');
    const [first] = await connection.query(sleep, ['0'], 30_000, sequel);
    const [second] = await connection.query(sleep, ['0'], 30_000);
    expect(second).not.toEqual(first);
    expect(became).toMatchObject([{ name: StoreUnavailableError.name, sent: true }]);
    await ended(first!.pid);
  });

  it('is run though the first was refused', async () => {
    const connection = oneConnection(isPipelined);
    const { sequel, became } = sequelOf('0');
    await expect(connection.query(sleep, ['no number'], 30_000, sequel)).rejects.toThrow();
    const [next] = await connection.query(sleep, ['0'], 30_000);
    expect(became).toEqual([next]);
  });

  it('is told that it never left where there was no connection', async () => {
    const connection = oneConnection(isPipelined);
    const [first] = await connection.query(sleep, ['0'], 30_000);
    const long = expect(connection.query(sleep, ['600'], 600_000)).rejects.toThrow(StoreUnavailableError);
    const { sequel, became } = sequelOf('0');
    await expect(connection.query(sleep, ['0'], 200, sequel)).rejects.toThrow('could not be had');
    expect(became).toMatchObject([{ name: StoreUnavailableError.name, sent: false }]);
    await ended(first!.pid);
    await long;
  });

  it('fails with the first where the connection ends', async () => {
    const connection = oneConnection(isPipelined);
    const [first] = await connection.query(sleep, ['0'], 30_000);
    const { sequel, became } = sequelOf('0');
    const call = connection.query(sleep, ['600'], 600_000, sequel);
    await Promise.all([expect(call).rejects.toThrow(StoreUnavailableError), ended(first!.pid)]);
    await connection.query(sleep, ['0'], 30_000);
    expect(became).toMatchObject([{ name: StoreUnavailableError.name, sent: isPipelined }]);
  });
});

/** The server notices only when it answers that nobody listens: what still sleeps there is ended here. */
async function ended(pid: unknown): Promise<void> {
  const client = new pg.Client(process.env.TEST_POSTGRES_URL);
  await client.connect();
  await client.query('SELECT pg_terminate_backend($1)', [pid]);
  await client.end();
}

it('asks what has a sequel where one is under way, another one beside it, and gives all connections back', async () => {
  const config: pg.PoolConfig & { pipeline: boolean } = {
    connectionString: process.env.TEST_POSTGRES_URL,
    max: 3,
    pipeline: true,
  };
  pool = new pg.Pool(config);
  const connection = new PgConnection('a database', pool, true);
  const behind = Array.from({ length: 3 }, () => sequelOf('0'));
  const [[first]] = [await connection.query(sleep, ['0'], 30_000, behind[0]!.sequel)];
  const [[second], [third]] = await Promise.all([
    connection.query(sleep, ['0'], 30_000, behind[1]!.sequel),
    connection.query(sleep, ['0'], 30_000, behind[2]!.sequel),
  ]);
  expect(second).toEqual(first);
  expect(third).not.toEqual(first);
  await eventually(() => behind.every(({ became }) => became.length === 1));
  expect(behind.map(({ became }) => became)).toEqual([[first], [first], [third]]);
  await eventually(() => pool!.idleCount === 2 && pool!.totalCount === 2);
});
