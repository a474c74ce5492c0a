import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ownPostgres } from '../support/own-postgres.js';
import { onPostgres } from '../support/postgres-database.js';
import { findOldestPostgres } from '../support/servers/oldest-postgres.mjs';
import { describeAdd } from './conformance/add.js';
import { describeCancel } from './conformance/cancel.js';
import { describeCatalogPages } from './conformance/catalog-pages.js';
import { describeClaim } from './conformance/claim.js';
import { describeFencingAndRepeats } from './conformance/fencing-and-repeats.js';
import { describeLeasesAndRecovery } from './conformance/leases-and-recovery.js';
import { describeLocks } from './conformance/locks.js';
import { describeNotes } from './conformance/notes.js';
import { describeSchedulesAdvance } from './conformance/schedules-advance.js';
import { setupWith } from './conformance/setup.js';
import { describeStatsOfRuns } from './conformance/stats-runs.js';

let url: string;
const setup = setupWith(
  onPostgres(async () => {
    const program = findOldestPostgres();
    ({ url } = await ownPostgres({ fsync: 'off', full_page_writes: 'off' }, { program }));
    return url;
  }),
);

// Some chapters, which between them call nearly every function; the newest server passes all of them.
describe('postgres backend on the oldest server', () => {
  describeAdd(setup);
  describeClaim(setup);
  describeLeasesAndRecovery(setup);
  describeFencingAndRepeats(setup);
  describeCancel(setup);
  describeCatalogPages(setup);
  describeLocks(setup);
  describeNotes(setup);
  describeSchedulesAdvance(setup);
  describeStatsOfRuns(setup);

  it('is PostgreSQL 13', async () => {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query('SHOW server_version');
    await client.end();
    expect(rows).toEqual([{ server_version: expect.stringMatching(/^13\./) }]);
  });
});
