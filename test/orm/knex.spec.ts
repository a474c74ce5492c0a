import { knex as openKnex } from 'knex';
import { server } from './conformance/database.js';
import { describeJoining } from './conformance/joining.js';

describeJoining('Knex', server, ({ url }) => {
  const knex = openKnex({ client: 'pg', connection: url });
  return {
    inTransaction: (work) => knex.transaction(work),
    inSavepoint: (trx, work) => trx.transaction(work),
    notTransactions: { knex: [knex, 'the database itself'] },
    close: () => knex.destroy(),
  };
});
