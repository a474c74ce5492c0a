import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { Backend } from '../../lib/backend/backend.js';
import { postgresBackend } from '../../lib/backend/postgres/postgres-backend.js';
import { settings } from '../backend/conformance/setup.js';

/** A schema of the test run's server that only one file of tests uses, open to backends, and to statements beside them. */
export function onOwnSchema() {
  Logger.overrideLogger(false);
  const url = process.env.TEST_POSTGRES_URL!;
  const schema = `own ${randomUUID().slice(0, 8)}`;
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const opened: Backend[] = [];
  /** Another process, as far as the database can tell. */
  const open = async (options: { notify?: boolean } = {}): Promise<Backend> => {
    const backend = postgresBackend({ url, ...options });
    await backend.open({ ...settings, prefix: schema });
    opened.push(backend);
    return backend;
  };
  beforeAll(async () => void (await open()));
  afterAll(async () => {
    for (const backend of opened) await backend.close();
    await pool.query(`DROP SCHEMA "${schema}" CASCADE`);
    await pool.end();
  });
  return {
    schema,
    pool,
    open,
    rows: async <R extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<R[]> =>
      (await pool.query<R>(sql, values)).rows,
  };
}
