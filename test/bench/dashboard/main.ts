import 'reflect-metadata';
import os from 'node:os';
import { Redis } from 'ioredis';
import pg from 'pg';
import { printTable, thousands } from '../table.js';
import { measureAnswers } from './answers.js';
import { openApp } from './bench-app.js';
import { fill } from './fill.js';
import { measureViews } from './views.js';

interface Servers {
  readonly redis: string;
  readonly postgres: string;
  readonly chromium: string;
}

/** Measures in this process, its own requests included, on servers that are ours alone. */
export async function main(servers: Servers, args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  const rounds = Number(/--rounds=(\d+)/.exec(args.join(' '))?.[1] ?? (isQuick ? 20 : 100));
  const only = /--only=(\S+)/.exec(args.join(' '))?.[1]?.split(',');
  const stores = { memory: 'memory:', redis: servers.redis, postgres: servers.postgres };
  console.log(`${await versions(servers)}, express`);
  for (const [name, backend] of Object.entries(stores)) {
    if (only && !only.includes(name)) continue;
    const bench = await openApp(backend);
    try {
      const counts = await fill(bench, 100_000);
      const held = Object.entries(counts).map(([state, count]) => `${thousands(count)} ${state}`);
      bench.work();
      printTable(`${name}: answers of the API, with ${held.join(', ')}`, [
        ...(await measureAnswers(bench, rounds)),
      ]);
      printTable(`${name}: from the address to what it shows, in Chromium`, [
        ...(await measureViews(bench, servers.chromium, isQuick ? 3 : 10)),
      ]);
    } finally {
      await bench.close();
    }
  }
}

async function versions({ redis: url, postgres }: Servers): Promise<string> {
  const redis = new Redis(url);
  const info = await redis.info('server');
  redis.disconnect();
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  await client.end();
  const cpus = os.cpus();
  return [
    `${cpus[0]!.model}, ${cpus.length} cores`,
    `Node ${process.versions.node}`,
    `Redis ${/^(?:redis|valkey)_version:(\S+)/m.exec(info)![1]}`,
    `PostgreSQL ${rows[0]!.server_version}`,
  ].join(', ');
}
