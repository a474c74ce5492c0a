import { hasMethods, type Rows, type TransactionAdapter } from './transaction-adapter.js';

interface QueryRunner {
  query(sql: string, values: string[]): Promise<Rows>;
  readonly isTransactionActive: boolean;
}

export const typeorm: TransactionAdapter = {
  name: "TypeORM's EntityManager or QueryRunner within a transaction",
  join(given) {
    if (!isQueryRunner(given) && !hasQueryRunner(given)) return undefined;
    const runner = isQueryRunner(given) ? given : given.queryRunner;
    if (!runner?.isTransactionActive)
      return { refusal: 'it is in no transaction; pass the EntityManager that transaction() hands out' };
    return { run: (sql, values) => runner.query(sql, [...values]) };
  },
};

/** An EntityManager has one while it is bound to a connection; a DataSource is like one that never is. */
function hasQueryRunner(value: unknown): value is { readonly queryRunner?: QueryRunner } {
  return hasMethods(value, 'query', 'transaction', 'getRepository', 'getTreeRepository');
}

function isQueryRunner(value: unknown): value is QueryRunner {
  return hasMethods(value, 'query', 'startTransaction', 'commitTransaction', 'release');
}
