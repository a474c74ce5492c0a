// Starts the benchmarks with servers of their own: see README.md.
import { fileURLToPath } from 'node:url';
import { startOwnPostgres } from '../support/servers/postgres.mjs';
import { startOwnRedis } from '../support/servers/redis.mjs';
import { installPeers, newerNode } from './peers/install.mjs';

/** Where the compiled benchmarks are. */
const build = process.env.BENCH_BUILD ?? fileURLToPath(new URL('../../.tmp/bench', import.meta.url));

export async function startBench(args) {
  process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
  const { runStores } = await import(`${build}/run-stores.js`);
  await runStores(args, {
    // Never servers that somebody uses: they are emptied between the rounds.
    startRedis: () => startOwnRedis(['--save', '', '--appendonly', 'no']),
    startPostgres: () => startOwnPostgres(),
    installPeers,
    newerNode,
  });
}
