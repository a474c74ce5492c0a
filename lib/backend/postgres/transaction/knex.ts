import { ended, hasMethods, rowsOf, type TransactionAdapter } from './transaction-adapter.js';

interface Knex {
  raw(sql: string, bindings: string[]): PromiseLike<unknown>;
  readonly isTransaction?: boolean;
  isCompleted?(): boolean;
}

export const knex: TransactionAdapter = {
  name: "Knex's trx",
  join(given) {
    if (!isKnex(given)) return undefined;
    if (!given.isTransaction)
      return { refusal: 'it is the database itself; pass the trx that its transaction() hands out' };
    if (given.isCompleted?.()) return { refusal: ended };
    return {
      async run(sql, values) {
        const bindings: string[] = [];
        return rowsOf(await given.raw(withQuestionMarks(sql, values, bindings), bindings));
      },
    };
  },
};

function isKnex(value: unknown): value is Knex {
  return typeof value === 'function' && hasMethods(value, 'raw', 'transaction', 'queryBuilder');
}

/** Knex reads `?` where PostgreSQL reads `$1`, each with a value of its own. */
function withQuestionMarks(sql: string, values: readonly string[], bindings: string[]): string {
  return sql.replace(/\?|\$(\d+)/g, (mark, number?: string) => {
    if (number === undefined) return `\\${mark}`;
    bindings.push(values[Number(number) - 1]!);
    return '?';
  });
}
