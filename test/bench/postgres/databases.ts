import pg from 'pg';

/** The databases of a server that is ours alone: made for a sample, and dropped after it. */
export class Databases {
  private readonly made = new Set<string>();

  constructor(private readonly serverUrl: string) {}

  url(name: string): string {
    return Object.assign(new URL(this.serverUrl), { pathname: name }).href;
  }

  async make(name: string): Promise<string> {
    this.made.add(name);
    await this.tell(this.serverUrl, `CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** Starts over; a checkpoint now spares the next sample that of the last. */
  async dropAll(): Promise<void> {
    for (const name of this.made) await this.tell(this.serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    this.made.clear();
    await this.tell(this.serverUrl, 'CHECKPOINT');
  }

  /** So that no plan depends on whether autovacuum has been there. */
  async analyze(url: string): Promise<void> {
    await this.tell(url, 'ANALYZE');
  }

  async holdSnapshot(url: string): Promise<{ end(): Promise<void> }> {
    const client = await connect(url);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT count(*) FROM pg_class');
    return {
      async end() {
        await client.query('ROLLBACK');
        await client.end();
      },
    };
  }

  /** How many were made so far in a database, but for the question itself. */
  async transactions(name: string): Promise<number> {
    const statement = `SELECT xact_commit + xact_rollback AS made FROM pg_stat_database WHERE datname = '${name}'`;
    return Number((await this.tell(this.serverUrl, statement))[0]!.made);
  }

  async bytes(name: string): Promise<number> {
    return Number((await this.tell(this.serverUrl, `SELECT pg_database_size('${name}') AS bytes`))[0]!.bytes);
  }

  async version(): Promise<string> {
    // Without what the packager adds.
    return (await this.tell(this.serverUrl, 'SHOW server_version'))[0]!.server_version!.split(' ')[0]!;
  }

  private async tell(url: string, statement: string): Promise<Record<string, string>[]> {
    const client = await connect(url);
    try {
      return (await client.query<Record<string, string>>(statement)).rows;
    } finally {
      await client.end();
    }
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}
