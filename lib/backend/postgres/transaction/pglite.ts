import { savepointAndRelease, takesSavepoint } from './takes-savepoint.js';
import { ended, hasMethods, type TransactionAdapter } from './transaction-adapter.js';

interface PGliteTransaction {
  query(sql: string, values: string[]): Promise<{ rows: Record<string, unknown>[] }>;
  exec(sql: string): Promise<unknown>;
  readonly closed: boolean;
}

export const pglite: TransactionAdapter = {
  name: 'the tx of pglite.transaction()',
  join(given) {
    if (hasMethods(given, 'query', 'exec', 'transaction', 'runExclusive'))
      return { refusal: 'it is the database itself; pass the tx of its transaction()' };
    if (!isTransaction(given)) return undefined;
    if (given.closed) return { refusal: ended };
    return {
      run: async (sql, values) => (await given.query(sql, [...values])).rows,
      isOpen: () => isOpen(given),
    };
  },
};

function isTransaction(value: unknown): value is PGliteTransaction {
  return hasMethods(value, 'query', 'exec', 'rollback') && 'closed' in (value as object);
}

/** PGlite closes a transaction that was committed, but not one whose function threw. */
function isOpen(tx: PGliteTransaction): Promise<boolean> {
  return takesSavepoint((sql) => tx.exec(sql), [savepointAndRelease]);
}
