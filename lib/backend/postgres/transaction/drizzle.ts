import { pgClient } from './pg-client.js';
import { pglite } from './pglite.js';
import { takesSavepoint } from './takes-savepoint.js';
import {
  hasMethods,
  notOpen,
  rowsOf,
  type SqlRunner,
  type TransactionAdapter,
} from './transaction-adapter.js';

interface PgDatabase {
  execute(query: { getSQL(): unknown }): PromiseLike<unknown>;
  readonly session?: { readonly client?: unknown };
}

/** How Drizzle names its classes, in every copy of it. */
const entityKind = Symbol.for('drizzle:entityKind');

/** Drizzle does not know whether a transaction is open; its driver may. */
export const drizzle: TransactionAdapter = {
  name: "Drizzle's tx",
  join(given) {
    if (!isDatabase(given)) return undefined;
    if (!kindsOf(given).some((kind) => /^Pg(Async)?Transaction$/.test(kind)))
      return { refusal: 'it is the database itself; pass the tx that its transaction() hands out' };
    const driver = pgClient.join(given.session?.client) ?? pglite.join(given.session?.client);
    if (driver && 'refusal' in driver) return { refusal: notOpen };
    const run = runnerOf(given);
    return { run, isOpen: driver ? driver.isOpen : () => takesSavepoint((sql) => run(sql, [])) };
  },
};

/** What its `sql` template would build, with no part of the text read as a template. */
function runnerOf(tx: PgDatabase): SqlRunner {
  return async (sql, values) => {
    const query = { sql, params: [...values] };
    return rowsOf(await tx.execute({ getSQL: () => ({ toQuery: () => query }) }));
  };
}

function isDatabase(value: unknown): value is PgDatabase {
  return (
    hasMethods(value, 'execute', 'transaction') &&
    kindsOf(value).some((kind) => /^Pg(Async)?Database$/.test(kind))
  );
}

/** The kinds of a value's class and of those it extends. */
function kindsOf(value: unknown): string[] {
  const kinds: string[] = [];
  let type: unknown = (value as object).constructor;
  for (; typeof type === 'function'; type = Object.getPrototypeOf(type))
    kinds.push(String((type as unknown as Record<symbol, unknown>)[entityKind]));
  return kinds;
}
