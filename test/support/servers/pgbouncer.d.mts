/** PgBouncer in its transaction mode before a server, which must let the user of the address in. */
export function startPgbouncer(postgresUrl: string): Promise<{ readonly url: string; stop(): Promise<void> }>;
