// The benchmark against the peers, on a Redis of its own: `npm run bench:redis`, see ../README.md.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startRedis } from '../../support/servers/redis.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const peers = fileURLToPath(new URL('../peers', import.meta.url));
process.chdir(root);

if (!existsSync(`${peers}/node_modules/bullmq`)) {
  console.error('installing the peers …');
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: peers,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`the peers could not be installed: try \`npm install\` in ${peers}`);
}

// Never a server that somebody uses: it is emptied between the rounds.
delete process.env.REDIS_URL;
const redis = await startRedis();
try {
  const { main } = await import('../../../.tmp/bench/redis/main.js');
  await main(redis.url, process.argv.slice(2));
} finally {
  await redis.stop();
}
