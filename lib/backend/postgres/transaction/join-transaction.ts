import { UnsupportedTransactionError } from '../../errors.js';
import { drizzle } from './drizzle.js';
import { knex } from './knex.js';
import { kysely } from './kysely.js';
import { mikroOrm } from './mikro-orm.js';
import { pgClient } from './pg-client.js';
import { pglite } from './pglite.js';
import { prisma } from './prisma.js';
import {
  hasMethods,
  notOpen,
  type Joined,
  type SqlRunner,
  type TransactionAdapter,
} from './transaction-adapter.js';
import { typeorm } from './typeorm.js';

/** Each value is known to one of them at most. */
export const transactionAdapters: readonly TransactionAdapter[] = [
  pgClient,
  typeorm,
  prisma,
  drizzle,
  knex,
  kysely,
  mikroOrm,
  pglite,
];

/**
 * How to run statements on a transaction of the caller. Whatever is not known to be one is refused with
 * {@link UnsupportedTransactionError}: what would be stored without it is worse than an error.
 */
export function joinTransaction(transaction: unknown): SqlRunner {
  joined(transaction);
  return async (sql, values) => {
    // Looked at again, since it may have ended meanwhile.
    const { run, isOpen } = joined(transaction);
    if (isOpen && !(await isOpen())) refuse(transaction, notOpen);
    const rows = await run(sql, values);
    return rows ?? refuse(transaction, 'it has ended, or another statement on it has failed');
  };
}

function joined(given: unknown): Exclude<Joined, { refusal: string }> {
  for (const adapter of transactionAdapters) {
    const found = adapter.join(given);
    if (found && 'refusal' in found) refuse(given, found.refusal);
    if (found) return found;
  }
  return refuse(
    given,
    hasMethods(given, 'then') ? 'it is a promise; await it first' : 'it is of no known library',
  );
}

function refuse(given: unknown, why: string): never {
  const supported = transactionAdapters.map(({ name }) => name);
  throw new UnsupportedTransactionError(nameOf(given), why, supported);
}

/** The name of its class, or its type; never its content. */
function nameOf(given: unknown): string {
  if (given === null || typeof given !== 'object') return given === null ? 'null' : typeof given;
  try {
    const name: unknown = (given.constructor as { name?: unknown } | undefined)?.name;
    return typeof name === 'string' && name ? name.slice(0, 100) : 'object';
  } catch {
    return 'object';
  }
}
