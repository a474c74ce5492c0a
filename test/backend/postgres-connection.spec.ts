import { afterEach, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StoreUnavailableError } from '../../lib/backend/errors.js';
import { PgConnection } from '../../lib/backend/postgres/pg-connection.js';

const sleep = { name: 'sleep', text: 'SELECT pg_backend_pid() AS pid FROM pg_sleep($1::float8)' };

let pool: pg.Pool | undefined;
afterEach(() => pool?.end());

function oneConnection(): PgConnection {
  pool = new pg.Pool({ connectionString: process.env.TEST_POSTGRES_URL, max: 1 });
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

it('cuts off a connection that does not answer in its own time, and goes on with another', async () => {
  const connection = oneConnection();
  const [first] = await connection.query(sleep, ['0'], 30_000);
  await expect(connection.query(sleep, ['600'], 500)).rejects.toThrow('did not answer within 500 ms');
  const [second] = await connection.query(sleep, ['0'], 30_000);
  expect(second).not.toEqual(first);
  await ended(first!.pid);
});

it('lets nobody wait after the close', async () => {
  const connection = oneConnection();
  const [first] = await connection.query(sleep, ['0'], 30_000);
  const calls = [connection.query(sleep, ['600'], 600_000), connection.query(sleep, ['600'], 600_000)];
  const settled = Promise.allSettled(calls);
  await pause(100);
  connection.close();
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await ended(first!.pid);
});

/** The server notices only when it answers that nobody listens: what still sleeps there is ended here. */
async function ended(pid: unknown): Promise<void> {
  const client = new pg.Client(process.env.TEST_POSTGRES_URL);
  await client.connect();
  await client.query('SELECT pg_terminate_backend($1)', [pid]);
  await client.end();
}
