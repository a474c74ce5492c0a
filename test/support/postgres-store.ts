import { Logger } from '@nestjs/common';
import type { Backend, BackendSettings } from '../../lib/backend/backend.js';
import { quoted } from '../../lib/backend/postgres/sql-connection.js';
import type { TestStore } from '../backend/conformance/setup.js';
import { agePostgresQueue } from './postgres-time.js';
import { ShiftedBackend } from './shifted-backend.js';

// What is said at each boot is tested elsewhere.
Logger.overrideLogger(false);

/** Runs statements beside the backend, on the same database. */
export interface BesideBackend {
  exec(sql: string): Promise<unknown>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
}

/** A database as a store whose clock a test can move. The backend is open already and serves all tests of a file. */
export function postgresStore(settings: BackendSettings, backend: Backend, beside: BesideBackend): TestStore {
  const shifted = new ShiftedBackend(backend, (queue, ms) =>
    agePostgresQueue((sql) => beside.exec(sql), settings.prefix, queue, ms),
  );
  return {
    backend: shifted.backend,
    // Real time goes on during a test.
    driftMs: 1_000,
    advance: (ms) => shifted.advance(ms),
    lockEntries: async (queue) => {
      const table = `${quoted(settings.prefix)}.tasks`;
      const held = `SELECT held_key, id FROM ${table} WHERE held_key IS NOT NULL AND queue = '${queue.replaceAll("'", "''")}'`;
      return (await beside.rows(held)).map((row) => [row.held_key as string, row.id as string]);
    },
    close: async () => {},
  };
}
