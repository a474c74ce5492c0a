import pg from 'pg';
import type { OwnPostgres } from '../../support/servers/postgres.mjs';
import { postgresServers } from './server-programs.js';
import type { Stage } from './stage.js';

export interface PostgresStage extends Stage {
  readonly server: OwnPostgres;
  /** On a connection of its own, past all proxies. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** As durable as PostgreSQL is by default. */
export async function openPostgres(place?: string): Promise<PostgresStage> {
  const { startOwnPostgres } = await postgresServers();
  const server = await startOwnPostgres({}, { place });
  const query = async (sql: string, values: unknown[] = []) => {
    const client = new pg.Client(server.url);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql, values)).rows;
    } finally {
      await client.end();
    }
  };
  const [row] = await query('SHOW server_version');
  return {
    backend: 'postgres',
    version: `PostgreSQL ${String(row!.server_version).split(' ')[0]}, fsync on`,
    address: { postgres: { url: server.url } },
    ports: [server.port],
    server,
    query,
    probe: { kind: 'postgres', ports: [server.port] },
    close: () => server.stop(),
  };
}
