import pg from 'pg';
import pg820 from 'pg-8.20';
import { server, type ServerDatabase } from './conformance/database.js';
import { describeJoining, type Library } from './conformance/joining.js';

describeJoining('pg', server, (database) => openPg(database, pg));
describeJoining('a pg that does not know its state', server, (database) => openPg(database, pg820));

async function openPg({ url }: ServerDatabase, { Pool }: typeof pg): Promise<Library> {
  const pool = new Pool({ connectionString: url });
  const outside = await pool.connect();
  const within = async (
    client: pg.PoolClient,
    [begin, commit, rollback]: string[],
    work: () => Promise<unknown>,
  ) => {
    await client.query(begin!);
    try {
      await work();
      await client.query(commit!);
    } catch (error) {
      await client.query(rollback!);
      throw error;
    }
  };
  return {
    async inTransaction(work) {
      const client = await pool.connect();
      try {
        await within(client, ['BEGIN', 'COMMIT', 'ROLLBACK'], () => work(client));
      } finally {
        client.release();
      }
    },
    inSavepoint: (client, work) =>
      within(client, ['SAVEPOINT a', 'RELEASE SAVEPOINT a', 'ROLLBACK TO SAVEPOINT a'], () => work(client)),
    notTransactions: {
      'a pool': [pool, 'a pool runs each statement on any connection'],
      'a client before BEGIN': [outside, 'in no transaction'],
    },
    async close() {
      outside.release();
      await pool.end();
    },
  };
}
