import { afterEach, describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { settings } from '../backend/conformance/setup.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

const databases: FreshDatabase[] = [];
// Those who use it are closed before.
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

describe('Sessions that take no writes any more, as after a failover', () => {
  it('are left for new ones: the process goes on when there is a server that takes them', async () => {
    const database = await freshDatabase();
    databases.push(database);
    const { url } = database;
    const made = postgresBackend({ url });
    await made.open(settings);
    await made.close();
    const name = new URL(url).pathname.slice(1);
    // For sessions that begin from now on, and these keep it.
    await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const runs: number[] = [];
    @Job()
    class Counting {
      run(n: number) {
        runs.push(n);
      }
    }
    const { jobs } = await startApp({
      providers: [Counting],
      options: { backend: url, enqueueTimeout: '3s', runner: { pollInterval: '200ms' } },
      realTime: true,
    });
    await expect(jobs.enqueue(Counting, 1)).rejects.toThrow('read-only transaction');
    await database.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await jobs.enqueue(Counting, 2);
    await eventually(() => runs.length > 0);
    expect(runs).toEqual([2]);
  });
});
