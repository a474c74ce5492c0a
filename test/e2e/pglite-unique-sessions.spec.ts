import { PGlite } from '@electric-sql/pglite';
import { afterAll } from '@jest/globals';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { describeSessionContest } from './fixtures/session-contest.js';

let pglite: PGlite | undefined;
// After the applications, which are closed after each test.
afterAll(() => pglite?.close());

describeSessionContest(
  'PGlite',
  async () => {
    const lite = (pglite = await PGlite.create());
    const lockEntries = async (queue: string) => {
      const held = 'SELECT id, held_key FROM jobs.tasks WHERE queue = $1 AND held_key IS NOT NULL';
      return (await lite.query(held, [queue])).rows;
    };
    return { store: postgresBackend({ pglite: lite }), lockEntries };
  },
  'as it writes',
);
