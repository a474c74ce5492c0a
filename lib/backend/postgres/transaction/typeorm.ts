import { hasMethods, type TransactionAdapter } from './transaction-adapter.js';

interface QueryRunner {
  query(sql: string, values: string[]): Promise<Record<string, unknown>[]>;
  readonly isTransactionActive: boolean;
}

export const typeorm: TransactionAdapter = {
  name: "TypeORM's EntityManager or QueryRunner within a transaction",
  join(given) {
    if (hasMethods(given, 'createQueryRunner', 'createQueryBuilder', 'initialize'))
      return { refusal: 'a DataSource is no transaction; pass the EntityManager of its transaction()' };
    if (!isEntityManager(given) && !isQueryRunner(given)) return undefined;
    const runner = isQueryRunner(given) ? given : given.queryRunner;
    if (!runner?.isTransactionActive)
      return { refusal: 'it is in no transaction; pass the EntityManager that transaction() hands out' };
    return { run: (sql, values) => runner.query(sql, [...values]) };
  },
};

function isEntityManager(value: unknown): value is { readonly queryRunner?: QueryRunner } {
  return hasMethods(value, 'query', 'transaction', 'getRepository', 'getTreeRepository');
}

function isQueryRunner(value: unknown): value is QueryRunner {
  return hasMethods(value, 'query', 'startTransaction', 'commitTransaction', 'release');
}
