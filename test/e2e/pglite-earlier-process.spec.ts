import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { settings } from '../backend/conformance/setup.js';

Logger.overrideLogger(false);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function opened(database: PGlite) {
  const backend = postgresBackend({ pglite: database });
  await backend.open(settings);
  return backend;
}

const claim = { queues: [{ queue: 'q', limit: 1 }], limit: 1, leaseMs: 600_000, runner: 'r' };

describe('A PGlite database that the application opens itself', () => {
  it('gives back what an earlier process had claimed, and leaves what this one has', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nestjs-jobs-pglite-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const earlier = await PGlite.create(folder);
    const before = await opened(earlier);
    const task = { queue: 'q', id: 'a', token: 'a', job: 'Job', params: '1', priority: 0, retries: 5 };
    await before.tasks.add([[{ ...task, due: { inMs: 0 } }]]);
    expect((await before.tasks.claim(claim)).tasks).toHaveLength(1);
    // Ended without a word to the backend, as by a crash.
    await earlier.close();

    const database = await PGlite.create(folder);
    ends.push(() => database.close());
    const [one, other] = [await opened(database), await opened(database)];
    expect((await one.tasks.claim(claim)).tasks.map(({ id, attempt }) => [id, attempt])).toEqual([['a', 2]]);
    const third = await opened(database);
    expect((await other.tasks.claim({ ...claim, runner: 's' })).tasks).toEqual([]);
    for (const backend of [one, other, third]) await backend.close();
  });
});
