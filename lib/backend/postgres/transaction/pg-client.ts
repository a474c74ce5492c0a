import { probeInOne, takesSavepoint } from './takes-savepoint.js';
import { hasMethods, type Rows, type TransactionAdapter } from './transaction-adapter.js';

interface PgClient {
  query(sql: string, values?: readonly string[]): Promise<{ rows: Rows }>;
  /** What the server last said; pg has it since 8.21. */
  getTransactionStatus?(): 'I' | 'T' | 'E' | null | undefined;
}

/** A client of `pg`, or one like it. */
export const pgClient: TransactionAdapter = {
  name: "a pg client after 'BEGIN'",
  join(given) {
    if (hasMethods(given, 'query', 'connect', 'end') && 'totalCount' in (given as object))
      return { refusal: 'a pool runs each statement on any connection; take a client with pool.connect()' };
    if (!isClient(given)) return undefined;
    const status = given.getTransactionStatus?.();
    if (status === 'I') return { refusal: "it is in no transaction; await its 'BEGIN' first" };
    return {
      run: async (sql, values) => (await given.query(sql, values)).rows,
      isOpen: status ? undefined : () => takesSavepoint((sql) => given.query(sql), probeInOne),
    };
  },
};

function isClient(value: unknown): value is PgClient {
  return hasMethods(value, 'query', 'connect', 'end', 'escapeIdentifier');
}
