import { ended, hasMethods, type Rows, type TransactionAdapter } from './transaction-adapter.js';

interface PGliteTransaction {
  query(sql: string, values: string[]): Promise<{ rows: Rows }>;
  /** Not told before 0.5.8 of a transaction whose function threw. */
  readonly closed: boolean;
}

export const pglite: TransactionAdapter = {
  name: 'the tx of pglite.transaction()',
  join(given) {
    if (hasMethods(given, 'query', 'exec', 'transaction', 'runExclusive'))
      return { refusal: 'it is the database itself; pass the tx of its transaction()' };
    if (!isTransaction(given)) return undefined;
    if (given.closed) return { refusal: ended };
    return { run: async (sql, values) => (await given.query(sql, [...values])).rows };
  },
};

function isTransaction(value: unknown): value is PGliteTransaction {
  return hasMethods(value, 'query', 'exec', 'rollback') && 'closed' in (value as object);
}
