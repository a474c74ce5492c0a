import { afterAll, beforeAll } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Backend } from '../../lib/backend/backend.js';
import { postgresBackend } from '../../lib/backend/postgres/postgres-backend.js';
import { settings } from '../backend/conformance/setup.js';
import type { OpenStore } from '../backend/conformance/setup.js';
import { postgresStore, type BesideBackend } from './postgres-store.js';

/** A backend of the test run's server for all tests of a file. */
export function onPostgres(start = async () => process.env.TEST_POSTGRES_URL!): OpenStore {
  let pool: pg.Pool;
  const store = sharing(async () => {
    const url = await start();
    pool = new pg.Pool({ connectionString: url });
    // A server of this file may be gone before it.
    pool.on('error', () => undefined);
    const beside = {
      exec: (sql: string) => pool.query(sql),
      rows: async (sql: string) => (await pool.query<Record<string, unknown>>(sql)).rows,
    };
    return { backend: postgresBackend({ url }), beside };
  });
  afterAll(() => pool.end());
  return store;
}

/** A database in this process for all tests of a file. */
export function onPglite(): OpenStore {
  let lite: PGlite;
  const store = sharing(async () => {
    lite = await PGlite.create();
    const beside = {
      exec: (sql: string) => lite.exec(sql),
      rows: async (sql: string) => (await lite.query<Record<string, unknown>>(sql)).rows,
    };
    return { backend: postgresBackend({ pglite: lite }), beside };
  });
  afterAll(() => lite.close());
  return store;
}

function sharing(make: () => Promise<{ backend: Backend; beside: BesideBackend }>): OpenStore {
  let made: { backend: Backend; beside: BesideBackend };
  beforeAll(async () => {
    made = await make();
    await made.backend.open(settings);
  }, 180_000);
  afterAll(() => made.backend.close());
  return async (given) => postgresStore(given, made.backend, made.beside);
}
