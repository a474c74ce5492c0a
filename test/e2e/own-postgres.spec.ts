import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { eventually } from '../support/app.js';
import { ownPostgres } from '../support/own-postgres.js';
import { processesIn, sharedMemoryOf } from '../support/servers/postgres.mjs';

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Whether the machine still knows a segment of shared memory. */
function isSharedMemory(segment: string): boolean {
  return spawnSync('ipcs', ['-m', '-i', segment], { encoding: 'utf8' }).stdout.includes('bytes=');
}

describe('A PostgreSQL server of a spec', () => {
  it('keeps its data over a kill, an immediate and a fast shutdown, and leaves nothing behind', async () => {
    const server = await ownPostgres();
    await ask(server.url, 'CREATE TABLE kept (n int)');
    // A connection that is busy when the server is killed goes with it.
    const busy = new Client(server.url);
    busy.on('error', () => undefined);
    await busy.connect();
    const cut = busy.query('SELECT pg_sleep(600)').catch((error: unknown) => error);
    for (const [index, signal] of (['SIGKILL', 'SIGQUIT', 'SIGINT'] as const).entries()) {
      await ask(server.url, `INSERT INTO kept VALUES (${index})`);
      await server.kill(signal);
      expect(processesIn(join(server.folder, 'data'))).toEqual([]);
      await expect(ask(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
      await server.restart();
    }
    expect(await cut).toBeInstanceOf(Error);
    expect(await ask(server.url, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    await server.kill('SIGKILL');
    const segment = sharedMemoryOf(server.folder)!;
    expect(isSharedMemory(segment)).toBe(true);
    await server.stop();
    expect(isSharedMemory(segment)).toBe(false);
    expect(existsSync(server.folder)).toBe(false);
    await server.stop();
  });

  it('is as durable as by default, unless settings say otherwise', async () => {
    const server = await ownPostgres({ max_connections: 7 });
    const settings = `SELECT name, setting FROM pg_settings
      WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'max_connections') ORDER BY name`;
    expect((await ask<{ setting: string }>(server.url, settings)).map(({ setting }) => setting)).toEqual([
      'on',
      'on',
      '7',
      'on',
    ]);
  });

  it('says what the server said where it does not start', async () => {
    await expect(ownPostgres({ no_such_setting: 1 })).rejects.toThrow('unrecognized configuration parameter');
  });

  it('ends, and its folder goes, when whoever started it is killed', async () => {
    const module = join(process.cwd(), 'test/support/servers/postgres.mjs');
    const script = `
      const { startOwnPostgres } = await import(${JSON.stringify(module)});
      console.log((await startOwnPostgres({ fsync: 'off' })).folder);
      setInterval(() => undefined, 1_000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const folder = await new Promise<string>((resolve, reject) => {
      owner.stdout.once('data', (line) => resolve(String(line).trim()));
      owner.once('exit', () => reject(new Error('ended without a server')));
    }).finally(() => owner.kill('SIGKILL'));
    await eventually(() => processesIn(folder).length === 0 && !existsSync(folder));
  });
});
