import { takesSavepoint } from './takes-savepoint.js';
import {
  ended,
  hasMethods,
  type Rows,
  type SqlRunner,
  type TransactionAdapter,
} from './transaction-adapter.js';

interface Kysely {
  executeQuery(query: CompiledQuery): Promise<{ rows: Rows }>;
  readonly isTransaction: boolean;
  /** A transaction that its caller ends tells how. */
  readonly isCommitted?: boolean;
  readonly isRolledBack?: boolean;
  getExecutor(): object;
}

/** What `CompiledQuery.raw` makes. */
interface CompiledQuery {
  readonly sql: string;
  readonly parameters: readonly string[];
  readonly query: object;
  readonly queryId: object;
}

export const kysely: TransactionAdapter = {
  name: "Kysely's Transaction",
  join(given) {
    if (!isKysely(given)) return undefined;
    if (!given.isTransaction)
      return { refusal: 'it is the database itself; pass the Transaction that it hands out' };
    if (given.isCommitted || given.isRolledBack) return { refusal: ended };
    const run: SqlRunner = async (sql, values) => (await given.executeQuery(compiled(sql, values))).rows;
    return { run, isOpen: refusesByItself(given) ? undefined : () => takesSavepoint((sql) => run(sql, [])) };
  },
};

/** Whether Kysely refuses statements when the transaction has ended; older versions send them. */
function refusesByItself(transaction: Kysely): boolean {
  return transaction.getExecutor().constructor.name === 'NotCommittedOrRolledBackAssertingExecutor';
}

function isKysely(value: unknown): value is Kysely {
  return (
    hasMethods(value, 'executeQuery', 'selectFrom', 'getExecutor') && 'isTransaction' in (value as object)
  );
}

function compiled(sql: string, values: readonly string[]): CompiledQuery {
  return {
    sql,
    parameters: values,
    query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
    queryId: { queryId: 'nestjs-jobs' },
  };
}
