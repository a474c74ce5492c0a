import { Logger } from '@nestjs/common';
import type { Backend, BackendSettings } from '../../lib/backend/backend.js';
import { quoted } from '../../lib/backend/postgres/sql-connection.js';
import type { TestStore } from '../backend/conformance/setup.js';
import { expectCountersOfTasks } from './postgres-counters.js';
import { agePostgresQueue, agePostgresRunners } from './postgres-time.js';
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
  const exec = (sql: string) => beside.exec(sql);
  const shifted = new ShiftedBackend(
    backend,
    (queue, ms) => agePostgresQueue(exec, settings.prefix, queue, ms),
    (runners, ms) => agePostgresRunners(exec, settings.prefix, runners, ms),
  );
  const tasksOf = (queue: string, columns: string, condition: string) =>
    beside.rows(
      `SELECT ${columns} FROM ${quoted(settings.prefix)}.tasks WHERE queue = '${queue.replaceAll("'", "''")}' AND ${condition}`,
    );
  return {
    backend: shifted.backend,
    // Real time goes on during a test.
    driftMs: 1_000,
    advance: (ms) => shifted.advance(ms),
    lockEntries: async (queue) =>
      (await tasksOf(queue, 'held_key, id', 'held_key IS NOT NULL')).map((row) => [
        row.held_key as string,
        row.id as string,
      ]),
    // Part of their row, which a claim takes away within a second after its time.
    noteEntries: async (queue) => {
      const isThere = `coalesce(remove_at > ${quoted(settings.prefix)}.now_ms(), true)`;
      const noted = await tasksOf(queue, 'id', `coalesce(progress, lines) IS NOT NULL AND ${isThere}`);
      return noted.map((row) => row.id as string);
    },
    close: () => expectCountersOfTasks(beside, settings.prefix, shifted.queues),
  };
}
