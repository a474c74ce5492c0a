import { knex } from './knex.js';
import { kysely } from './kysely.js';
import { hasMethods, type TransactionAdapter } from './transaction-adapter.js';

interface EntityManager {
  isInTransaction(): boolean;
  /** Knex's trx in version 6, Kysely's Transaction since 7; its own `execute` would write the values into the statement. */
  getTransactionContext(): unknown;
}

export const mikroOrm: TransactionAdapter = {
  name: "MikroORM's EntityManager within a transaction",
  join(given) {
    if (!isEntityManager(given)) return undefined;
    if (!given.isInTransaction())
      return {
        refusal: 'it is in no transaction; pass the one that transactional() hands out, or begin() it',
      };
    const context = given.getTransactionContext();
    return (
      knex.join(context) ??
      kysely.join(context) ?? { refusal: 'its driver is not of @mikro-orm/postgresql, version 6 or 7' }
    );
  },
};

function isEntityManager(value: unknown): value is EntityManager {
  return hasMethods(value, 'isInTransaction', 'getTransactionContext', 'transactional');
}
