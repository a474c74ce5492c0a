// How late slots are, and what stored schedules cost: `npm run bench:schedules`, see ../README.md.
import { fileURLToPath } from 'node:url';
import { startRedis } from '../../support/servers/redis.mjs';

process.chdir(fileURLToPath(new URL('../../..', import.meta.url)));
// Never a server that somebody uses: it is emptied between the measures.
delete process.env.REDIS_URL;
const redis = await startRedis();
try {
  const { main } = await import('../../../.tmp/bench/schedules/main.js');
  await main(redis.url, process.argv.slice(2));
} finally {
  await redis.stop();
}
