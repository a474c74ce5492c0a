import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreUnavailableError, UnusableStoreError } from '../errors.js';
import type { PgliteDatabase, PgliteQueries } from './drivers.js';
import type { BellWire } from './postgres-bell.js';
import type { PostgresEngine } from './postgres-engine.js';
import { refusalOf } from './postgres-refusal.js';
import { bellChannel, type Ring } from './postgres-ring.js';
import { fromText } from './postgres-text.js';
import { quoted, type Row, type SqlConnection, type SqlStatement } from './sql-connection.js';

export interface PgliteEngineOptions {
  readonly name: string;
  readonly schema: string;
  readonly database: string | PgliteDatabase;
}

/** PostgreSQL in this process: one connection, so whatever is asked waits for what was asked before. */
export async function pgliteEngine({ name, schema, database }: PgliteEngineOptions): Promise<PostgresEngine> {
  const isOurs = typeof database === 'string';
  const lite = isOurs ? await openPglite(name, database) : database;
  const isFirst = isFirstToOpen(lite, schema);
  const inside: Inside = new AsyncLocalStorage();
  const connection = new PgliteConnection(name, lite, inside);
  return {
    hot: connection,
    side: connection,
    hasHotSessions: false,
    isSidePipelined: false,
    wire: new PgliteBellWire(lite, schema, inside),
    // Everybody is in this process.
    events: undefined,
    async transact(work, lost) {
      const around = { isOpen: true };
      try {
        return await lite.transaction((transaction) =>
          inside.run(around, () => unlessLost(lost, () => work(sessionOf(transaction), transaction))),
        );
      } finally {
        // What was begun inside may go on beyond it.
        around.isOpen = false;
      }
    },
    isSingle: true,
    isExclusive: isFirst,
    mustJoin: () => isInside(inside),
    async close() {
      if (isOurs) await lite.close();
    },
  };
}

/** What hangs in a transaction would keep the only connection for good: when its time is over it is rolled back. */
async function unlessLost<R>(lost: AbortSignal | undefined, work: () => Promise<R>): Promise<R> {
  if (!lost) return work();
  // It has waited for its turn until then.
  lost.throwIfAborted();
  let onLost: () => void;
  const over = new Promise<never>((_, reject) => {
    onLost = () => reject(lost.reason as Error);
    lost.addEventListener('abort', onLost);
  });
  try {
    return await Promise.race([over, work()]);
  } finally {
    lost.removeEventListener('abort', onLost!);
  }
}

/** The schemas of databases that this process has opened: a database serves one process, so others can have had them only before. */
const opened = new WeakMap<PgliteDatabase, Set<string>>();

function isFirstToOpen(database: PgliteDatabase, schema: string): boolean {
  const schemas = opened.get(database) ?? new Set();
  opened.set(database, schemas);
  const isFirst = !schemas.has(schema);
  schemas.add(schema);
  return isFirst;
}

/** The transaction of `transact` that a call is made in, if any. */
type Inside = AsyncLocalStorage<{ isOpen: boolean }>;

function isInside(inside: Inside): boolean {
  return inside.getStore()?.isOpen ?? false;
}

/** A statement here cannot be cut off: one that waits for its turn is given up, one that runs ends by itself. */
class PgliteConnection implements SqlConnection {
  constructor(
    private readonly name: string,
    private readonly lite: PgliteDatabase,
    private readonly inside: Inside,
  ) {}

  async query({ text }: SqlStatement, values: readonly string[], withinMs: number): Promise<readonly Row[]> {
    if (isInside(this.inside))
      throw new StoreUnavailableError(
        `${this.name} has one connection, which the transaction around this call holds: it would wait for itself`,
        false,
      );
    return within(this.name, withinMs, async () => {
      try {
        return (await this.lite.query(text, values as string[])).rows as Row[];
      } catch (error) {
        throw refusalOf(this.name, error, false);
      }
    });
  }
}

class PgliteBellWire implements BellWire {
  private readonly channel: string;
  private hear: ((payload: string) => void) | undefined;

  constructor(
    private readonly lite: PgliteDatabase,
    schema: string,
    private readonly inside: Inside,
  ) {
    this.channel = quoted(bellChannel(schema));
  }

  async open(heard: (ring: Ring) => void): Promise<void> {
    // What is woken goes its own way: it is no part of the transaction that rang.
    this.hear = (payload) => this.inside.exit(() => heard(fromText(payload) as Ring));
    await this.lite.listen(this.channel, this.hear);
  }

  /** Everybody who listens is in this process, and has heard it. */
  async send(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    if (this.hear && !this.lite.closed) await this.lite.unlisten(this.channel, this.hear);
  }
}

function sessionOf(transaction: PgliteQueries) {
  return {
    query: async (sql: string, values: string[]) => (await transaction.query(sql, values)).rows as Row[],
    exec: (sql: string) => transaction.exec(sql),
  };
}

async function within<T>(name: string, withinMs: number, begin: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreUnavailableError(`${name} did not answer within ${withinMs} ms`, true)),
      withinMs,
    );
  });
  try {
    return await Promise.race([begin(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function openPglite(name: string, folder: string): Promise<PgliteDatabase> {
  const { PGlite: Database } = await import('@electric-sql/pglite').catch((error: unknown) => {
    const how = 'run `npm install @electric-sql/pglite`';
    const what = "the pglite backend needs the package '@electric-sql/pglite'";
    throw new UnusableStoreError(`${what}: ${how}`, { cause: error });
  });
  try {
    return await Database.create(folder);
  } catch (error) {
    throw new UnusableStoreError(`${name} cannot be opened: ${(error as Error).message}`, { cause: error });
  }
}
