/**
 * What is used of `pg` and of `@electric-sql/pglite`, by shape: they are optional, and an application that has one of them
 * must not need the types of the other.
 */
export interface PgPool {
  readonly options: object;
  connect(): Promise<PgPoolClient>;
  end(): Promise<void>;
}

/** How a connection is made: the options of `pg`, of which these are looked at here. */
export interface PgConfig {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly application_name?: string;
  readonly connectionTimeoutMillis?: number;
}

/** What a client is connected by; its types do not tell. */
export interface PgSocket {
  readonly connection?: { readonly stream: { destroy(): unknown } };
}

export interface PgPoolClient extends PgSocket {
  query(
    sql: string | { readonly name: string | undefined; readonly text: string; readonly values: string[] },
    values?: string[],
  ): Promise<{ readonly rows: Record<string, unknown>[] }>;
  /** Whether it sends statements without waiting for the answers to those before; older versions of `pg` cannot. */
  readonly pipeline?: boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  release(isBroken?: boolean): void;
}

export interface PgliteQueries {
  query(sql: string, values?: string[]): Promise<{ readonly rows: unknown[] }>;
  exec(sql: string): Promise<unknown>;
}

export interface PgliteDatabase extends PgliteQueries {
  readonly closed: boolean;
  transaction<R>(work: (transaction: PgliteQueries) => Promise<R>): Promise<R>;
  listen(channel: string, hear: (payload: string) => void): Promise<unknown>;
  unlisten(channel: string, hear: (payload: string) => void): Promise<void>;
  close(): Promise<void>;
}
