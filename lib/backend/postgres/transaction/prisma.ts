import { hasMethods, type Rows, type TransactionAdapter } from './transaction-adapter.js';

interface PrismaTransaction {
  /** Statements of the same moment are sent as one; behind one that fails, the others answer nothing. */
  $queryRawUnsafe(sql: string, ...values: string[]): Promise<Rows | undefined>;
}

/** Prisma itself refuses statements on a transaction that has ended. */
export const prisma: TransactionAdapter = {
  name: "the tx of Prisma's $transaction(async (tx) => …)",
  join(given) {
    if (!isPrisma(given)) return undefined;
    // Since Prisma 7 a transaction has $transaction as well, for savepoints.
    if (hasMethods(given, '$connect'))
      return { refusal: 'a PrismaClient is no transaction; pass the tx that its $transaction() hands out' };
    return { run: (sql, values) => given.$queryRawUnsafe(sql, ...values) };
  },
};

function isPrisma(value: unknown): value is PrismaTransaction {
  return hasMethods(value, '$queryRawUnsafe', '$executeRawUnsafe');
}
