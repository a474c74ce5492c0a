import pg from 'pg';
import { handleAll, laneSizes, RawBatches } from '../../side-by-side/child/raw-batches.js';
import type { Payload, System } from '../../side-by-side/system.js';

const channel = 'raw_tasks';
/** How often to look where no notification came. */
const lookMs = 1_000;

const makeTable = `
  SELECT pg_advisory_lock(1);
  CREATE TABLE IF NOT EXISTS raw_tasks (
    queue text, id bigint GENERATED ALWAYS AS IDENTITY, params text NOT NULL, PRIMARY KEY (queue, id)
  );
  SELECT pg_advisory_unlock(1)`;

/** All in one statement, and one notification with it. */
const insert = `
  WITH stored AS (INSERT INTO raw_tasks (queue, params) SELECT $1, unnest($2::text[]))
  SELECT pg_notify('${channel}', '')`;

/**
 * Ends the transaction of the batch before, and begins that of the next: what is deleted comes back where it does not end. In
 * one message, so that it takes one round trip; by the places of the rows, so that no plan can take another way.
 */
const exchange = (queue: string, size: number) => `
  COMMIT;
  BEGIN;
  DELETE FROM raw_tasks WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM raw_tasks WHERE queue = ${pg.escapeLiteral(queue)}
    ORDER BY id LIMIT ${size} FOR UPDATE SKIP LOCKED
  )) RETURNING params`;

/** The least work that runs each task at least once: rows of params, in batches, and nothing else. */
export const rawPostgres: System = {
  async produce(url, queue) {
    const client = await open(url);
    const store = (all: readonly Payload[]) => {
      const texts = all.map((params) => JSON.stringify(params));
      return client.query({ name: 'insert', text: insert, values: [queue, texts] });
    };
    const batches = new RawBatches(store, 1);
    return { add: (params) => batches.add(params), addBulk: store, close: () => client.end() };
  },

  async consume({ url, queues: [queue], concurrency }, handle) {
    const bell = new Bell(await open(url));
    await bell.listen();
    let isClosed = false;
    const lane = async (size: number) => {
      const client = await open(url);
      await client.query('BEGIN');
      while (!isClosed) {
        const { rings } = bell;
        const results = (await client.query(exchange(queue!, size))) as unknown as pg.QueryResult<{
          params: string;
        }>[];
        const { rows } = results[2]!;
        await handleAll(
          rows.map(({ params }) => params),
          handle,
        );
        if (rows.length > 0) continue;
        await client.query('COMMIT');
        await bell.after(rings);
        await client.query('BEGIN');
      }
      await client.query('COMMIT');
      await client.end();
    };
    const lanes = Promise.all(laneSizes(concurrency).map(lane));
    lanes.catch((error: unknown) => console.error('raw limit:', error));
    return {
      async close() {
        isClosed = true;
        await bell.close();
        await lanes;
      },
    };
  },
};

/** Wakes whoever waits when tasks were stored, or after a while. */
class Bell {
  rings = 0;
  private readonly waiting = new Set<() => void>();
  private readonly timer = setInterval(() => this.ring(), lookMs);

  constructor(private readonly client: pg.Client) {}

  async listen(): Promise<void> {
    this.client.on('notification', () => this.ring());
    await this.client.query(`LISTEN ${channel}`);
  }

  /** Resolves with the first ring after so many. */
  async after(rings: number): Promise<void> {
    if (this.rings === rings) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.ring();
    await this.client.end();
  }

  private ring(): void {
    this.rings++;
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(makeTable);
  return client;
}
