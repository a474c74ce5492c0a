// How fast the dashboard answers with 100,000 tasks in the store: `npm run bench:dashboard`, see ../README.md.
import { fileURLToPath } from 'node:url';
import { findChromium } from '../../support/servers/chromium.mjs';
import { startOwnPostgres } from '../../support/servers/postgres.mjs';
import { startRedis } from '../../support/servers/redis.mjs';

process.chdir(fileURLToPath(new URL('../../..', import.meta.url)));
// Never a server that somebody uses.
delete process.env.REDIS_URL;
const redis = await startRedis();
const postgres = await startOwnPostgres();
try {
  const { main } = await import('../../../.tmp/bench/dashboard/main.js');
  await main({ redis: redis.url, postgres: postgres.url, chromium: findChromium() }, process.argv.slice(2));
} finally {
  await postgres.stop();
  await redis.stop();
}
