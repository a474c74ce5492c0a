import { mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Backend } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import pg from 'pg';
import { tables } from './tables.js';

/** What a client of `pg` and a transaction of PGlite have in common. */
export interface Transaction {
  query<Row>(sql: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** The application's own database, which keeps its jobs as well. */
@Injectable()
export abstract class Database implements OnApplicationShutdown {
  abstract readonly backend: Backend;

  /** Commits when `work` resolves, and rolls back when it rejects. */
  abstract transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R>;

  abstract onApplicationShutdown(): Promise<void>;

  /** A server where one is named; else PostgreSQL in this process, in a folder. */
  static async open(): Promise<Database> {
    const url = process.env.JOBS_URL;
    const database = url ? new Server(url) : new Embedded(process.env.DATA_FOLDER ?? '.tmp/sample-05');
    await database.transaction(async (tx) => {
      for (const statement of tables) await tx.query(statement);
    });
    return database;
  }
}

class Server extends Database {
  private readonly pool: pg.Pool;
  readonly backend: Backend;

  constructor(connectionString: string) {
    super();
    this.pool = new pg.Pool({ connectionString });
    // A connection that breaks while nobody uses it is made anew.
    this.pool.on('error', () => undefined);
    this.backend = postgresBackend({ pool: this.pool });
  }

  async transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client as Transaction);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

class Embedded extends Database {
  private readonly pglite: PGlite;
  readonly backend: Backend;

  constructor(folder: string) {
    super();
    mkdirSync(folder, { recursive: true });
    this.pglite = new PGlite(folder);
    this.backend = postgresBackend({ pglite: this.pglite });
  }

  transaction<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    return this.pglite.transaction(work);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pglite.close();
  }
}
