/** A row of an answer, by column. */
export type Row = Record<string, unknown>;

/** A statement that is sent again and again, so that a connection may prepare it under its name. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

/** Runs one statement; each is a transaction of its own. */
export interface SqlConnection {
  /** Rejects with a StoreUnavailableError where there was no answer in time, and says whether the statement may have been run. */
  query(statement: SqlStatement, values: readonly string[], withinMs: number): Promise<readonly Row[]>;
}

/** An SQL name in quotes, so that whatever it holds stays a name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
