import { afterAll, beforeAll } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Backend } from '../../lib/backend/backend.js';
import { postgresBackend } from '../../lib/backend/postgres/postgres-backend.js';
import { settings } from '../backend/conformance/setup.js';
import type { OpenStore } from '../backend/conformance/setup.js';
import { postgresStore, type BesideBackend } from './postgres-store.js';

/** A backend of the test run's server for all tests of a file. */
export function onPostgres(): OpenStore {
  const url = process.env.TEST_POSTGRES_URL!;
  const pool = new pg.Pool({ connectionString: url });
  afterAll(() => pool.end());
  const beside = {
    exec: (sql: string) => pool.query(sql),
    rows: async (sql: string) => (await pool.query<Record<string, unknown>>(sql)).rows,
  };
  return sharing(async () => ({ backend: postgresBackend({ url }), beside }));
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
  });
  afterAll(() => made.backend.close());
  return async (given) => postgresStore(given, made.backend, made.beside);
}
