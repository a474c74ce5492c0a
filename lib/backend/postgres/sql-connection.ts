/** A row of an answer, by column. */
export type Row = Record<string, unknown>;

/** Runs one statement; each is a transaction of its own. */
export interface SqlConnection {
  /** Rejects with a StoreUnavailableError where there was no answer in time, and says whether the statement may have been run. */
  query(sql: string, values: readonly string[], withinMs: number): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** An SQL name in quotes, so that whatever it holds stays a name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
