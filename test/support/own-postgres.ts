import { afterAll } from '@jest/globals';
import { startOwnPostgres, type OwnPostgres } from './servers/postgres.mjs';

const started: OwnPostgres[] = [];
afterAll(async () => {
  for (const server of started.splice(0)) await server.stop();
});

/** A PostgreSQL server of this spec, which it may kill, stop and start again; gone when the spec ends. */
export async function ownPostgres(...how: Parameters<typeof startOwnPostgres>): Promise<OwnPostgres> {
  const server = await startOwnPostgres(...how);
  started.push(server);
  return server;
}
