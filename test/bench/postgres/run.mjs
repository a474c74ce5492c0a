// The benchmark against the peers, on a PostgreSQL of its own: `npm run bench:postgres`, see ../README.md.
import { fileURLToPath } from 'node:url';
import { startOwnPostgres } from '../../support/servers/postgres.mjs';
import { installPeers, newerNode } from '../peers/install.mjs';

process.chdir(fileURLToPath(new URL('../../..', import.meta.url)));
installPeers();

const postgres = await startOwnPostgres();
try {
  const { main } = await import('../../../.tmp/bench/postgres/main.js');
  await main(postgres.url, newerNode(), process.argv.slice(2));
} finally {
  await postgres.stop();
}
