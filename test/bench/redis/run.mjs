// The benchmark against the peers, on a Redis of its own: `npm run bench:redis`, see ../README.md.
import { fileURLToPath } from 'node:url';
import { startRedis } from '../../support/servers/redis.mjs';
import { installPeers } from '../peers/install.mjs';

process.chdir(fileURLToPath(new URL('../../..', import.meta.url)));
installPeers();

// Never a server that somebody uses: it is emptied between the rounds.
delete process.env.REDIS_URL;
const redis = await startRedis();
try {
  const { main } = await import('../../../.tmp/bench/redis/main.js');
  await main(redis.url, process.argv.slice(2));
} finally {
  await redis.stop();
}
