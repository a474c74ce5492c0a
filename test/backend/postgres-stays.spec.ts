import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { upSql } from '../../lib/backend/postgres/schema-sql.js';
import { ourSources } from '../../lib/backend/postgres/schema-sources.js';
import { onPostgres } from '../support/postgres-database.js';
import { describeCancel } from './conformance/cancel.js';
import { describeCatalog } from './conformance/catalog.js';
import { describeCatalogPages } from './conformance/catalog-pages.js';
import { describeClaim } from './conformance/claim.js';
import { describeClaimBetweenQueues } from './conformance/claim-between-queues.js';
import { describeExpiryAndRetention } from './conformance/expiry-and-retention.js';
import { describeFencingAndRepeats } from './conformance/fencing-and-repeats.js';
import { describeGlance } from './conformance/glance.js';
import { describeIdsAndReplace } from './conformance/ids-and-replace.js';
import { describeLeasesAndRecovery } from './conformance/leases-and-recovery.js';
import { describeLocks } from './conformance/locks.js';
import { describeNextLook } from './conformance/next-look.js';
import { describePark } from './conformance/park.js';
import { describeProperty } from './conformance/property.js';
import { describeSettleAndClaim } from './conformance/settle-and-claim.js';
import { setupWith, settings } from './conformance/setup.js';

const database = `stays_${randomUUID().slice(0, 8)}`;
let client: pg.Client;
afterAll(async () => {
  await client.end();
  await tell(process.env.TEST_POSTGRES_URL!, `DROP DATABASE ${database} WITH (FORCE)`);
});

/** A database whose claims leave every task in its place among those that wait, however long runs take. */
async function whereTasksStay(): Promise<string> {
  const server = process.env.TEST_POSTGRES_URL!;
  const url = Object.assign(new URL(server), { pathname: database }).href;
  await tell(server, `CREATE DATABASE ${database}`);
  const functions = ourSources.functions.map((source) =>
    source.replaceAll(/stays = (may_stay|false)/g, 'stays = true'),
  );
  // Functions of a newer version are left as they are.
  const sources = { ...ourSources, version: '999.0.0', functions };
  await tell(url, `BEGIN; ${upSql(settings.prefix, 0, sources)}; COMMIT`);
  client = new pg.Client(url);
  await client.connect();
  return url;
}

async function tell(url: string, sql: string): Promise<void> {
  const teller = new pg.Client(url);
  await teller.connect();
  try {
    await teller.query(sql);
  } finally {
    await teller.end();
  }
}

const open = onPostgres(whereTasksStay);
const setup = setupWith(open);

describe('postgres backend where tasks that run stay among those that wait', () => {
  describeClaim(setup);
  describeClaimBetweenQueues(setup);
  describeNextLook(setup);
  describeSettleAndClaim(setup);
  describeLeasesAndRecovery(setup);
  describeFencingAndRepeats(setup);
  describeIdsAndReplace(setup);
  describeLocks(setup);
  describeCancel(setup);
  describePark(setup);
  describeExpiryAndRetention(setup);
  describeCatalog(setup);
  describeCatalogPages(setup);
  describeGlance(setup);

  it('is what was tried', async () => {
    const { rows } = await client.query(
      `SELECT DISTINCT shelf FROM ${settings.prefix}.tasks WHERE state = 'pending'`,
    );
    expect(rows).toEqual([{ shelf: 'waiting' }]);
  });
});

describeProperty('postgres where tasks stay', open, { runs: 40, steps: 50 });
