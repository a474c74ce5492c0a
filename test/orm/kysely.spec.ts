import * as kysely from 'kysely';
import * as kysely027 from 'kysely-0.27';
import pg from 'pg';
import { server, type ServerDatabase } from './conformance/database.js';
import { describeJoining, type Library } from './conformance/joining.js';

describeJoining('Kysely', server, (database) => ({
  ...openKysely(database, kysely),
  ended: 'Transaction is already',
}));
describeJoining('a Kysely that does not know its end', server, (database) => openKysely(database, kysely027));

describeJoining('Kysely that the caller ends', server, (database) => {
  const db = connect(database, kysely).withPlugin(new kysely.CamelCasePlugin());
  return {
    async inTransaction(work) {
      const trx = await db.startTransaction().execute();
      try {
        await work(trx);
        await trx.commit().execute();
      } catch (error) {
        await trx.rollback().execute();
        throw error;
      }
    },
    async inSavepoint(trx, work) {
      const savepoint = await trx.savepoint('a').execute();
      try {
        await work(savepoint);
        await savepoint.releaseSavepoint('a').execute();
      } catch (error) {
        await savepoint.rollbackToSavepoint('a').execute();
        throw error;
      }
    },
    notTransactions: { 'a Kysely': [db, 'the database itself'] },
    close: () => db.destroy(),
  };
});

function openKysely(database: ServerDatabase, library: any): Library {
  const { sql } = library;
  const db = connect(database, library);
  return {
    inTransaction: (work) => db.transaction().execute(work),
    async inSavepoint(trx, work) {
      await sql`SAVEPOINT a`.execute(trx);
      try {
        await work(trx);
        await sql`RELEASE SAVEPOINT a`.execute(trx);
      } catch (error) {
        await sql`ROLLBACK TO SAVEPOINT a`.execute(trx);
        throw error;
      }
    },
    notTransactions: { 'a Kysely': [db, 'the database itself'] },
    close: () => db.destroy(),
  };
}

function connect({ url }: ServerDatabase, { Kysely, PostgresDialect }: any): any {
  return new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
}
