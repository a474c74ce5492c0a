export type Rows = readonly Record<string, unknown>[];

/** Runs one statement on the caller's transaction: its `$1`, `$2` … are texts. Answers its rows. */
export type SqlRunner = (sql: string, values: readonly string[]) => Promise<Rows>;

/** A transaction of a library, or what its author took for one. */
export type Joined =
  | {
      /** Answers nothing where the library did not run the statement, and does not say so. */
      readonly run: (...statement: Parameters<SqlRunner>) => Promise<Rows | undefined>;
      /** Asks the server whether the transaction is open; left out where the library has said so. */
      readonly isOpen?: () => Promise<boolean>;
    }
  | {
      /** Why it is no transaction, and what to pass instead. */
      readonly refusal: string;
    };

/** Knows the transactions of one library by their shape: it is not imported, and may be installed in several versions. */
export interface TransactionAdapter {
  /** What can be passed, as the list of what is supported names it. */
  readonly name: string;
  /** Nothing where the value is not of this library. */
  join(given: unknown): Joined | undefined;
}

export const ended = 'it was committed or rolled back before';
export const notOpen = 'its connection is in no transaction, or in none any more';

/** Whether a value has all these methods; what cannot even be looked at has none. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  try {
    return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
  } catch {
    return false;
  }
}

/** Drivers answer with the rows, or with an object that has them. */
export function rowsOf(answer: unknown): Rows {
  const rows: unknown = Array.isArray(answer) ? answer : (answer as { rows: unknown }).rows;
  return rows as Rows;
}
