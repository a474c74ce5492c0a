/** A row of an answer, by column. */
export type Row = Record<string, unknown>;

/** A statement that is sent again and again, so that a connection may prepare it under its name. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

/** What leaves right behind a statement, on its connection, and is run after that: the server is awake by then. */
export interface SqlSequel {
  /** Asked for when the first has left, so that the server need not wait for it. */
  written(): { readonly statement: SqlStatement; readonly values: readonly string[] };
  answered(rows: readonly Row[]): void;
  /** It was refused, or nobody knows whether it was run; the error says which. */
  failed(error: Error): void;
}

/** Runs one statement; each is a transaction of its own. */
export interface SqlConnection {
  /** Rejects with a StoreUnavailableError where there was no answer in time, and says whether the statement may have been run. */
  query(
    statement: SqlStatement,
    values: readonly string[],
    withinMs: number,
    sequel?: SqlSequel,
  ): Promise<readonly Row[]>;
}

/** An SQL name in quotes, so that whatever it holds stays a name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
