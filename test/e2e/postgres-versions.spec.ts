import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Job } from 'nestjs-jobs';
import { migrate } from '../../lib/backend/postgres/postgres-migrate.js';
import {
  isOlder,
  ourSources,
  revisionOf,
  type SchemaSources,
} from '../../lib/backend/postgres/schema-sources.js';
import { upSql } from '../../lib/backend/postgres/schema-sql.js';
import { eventually } from '../support/app.js';
import {
  beside,
  newSchema,
  openTransaction,
  postgresUrl,
  startOnPostgres,
} from './fixtures/postgres-stage.js';

/** What a later release may bring: a column, a helper with another result, one more function, and one less. */
const newer: SchemaSources = {
  version: '99.0.0',
  migrations: [
    ...ourSources.migrations,
    { name: '0002-more', up: 'ALTER TABLE tasks ADD COLUMN more text;', down: '' },
  ],
  functions: [
    ...ourSources.functions.map((source) =>
      source
        .replace(
          'OUT letter text, OUT came_from text, OUT went_to text',
          'OUT letter text, OUT came_from text, OUT went_to text, OUT more text',
        )
        .replaceAll('told_edge(', 'told_edge_now('),
    ),
    "CREATE OR REPLACE FUNCTION more_v1(asked text) RETURNS text LANGUAGE sql AS $$ SELECT 'more' $$;",
  ],
};

const clients: pg.Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
});

/** As the boot of a process with these sources does it. */
async function migrateTo(schema: string, sources: SchemaSources): Promise<void> {
  const client = new pg.Client(postgresUrl);
  clients.push(client);
  await client.connect();
  await client.query('BEGIN');
  const session = {
    query: async (sql: string, values: string[]) => (await client.query(sql, values)).rows,
    exec: (sql: string) => client.query(sql),
  };
  await migrate(session, schema, sources);
  await client.query('COMMIT');
}

function counting() {
  const runs: number[] = [];
  @Job({ queue: 'counting' })
  class Counting {
    run(n: number) {
      runs.push(n);
      if (n % 10 === 0) throw new Error('as it should');
    }
  }
  return { Counting, runs };
}

const functionsOf = async (schema: string): Promise<string[]> => {
  const { rows } = await beside().query<{ name: string }>(
    'SELECT proname AS name FROM pg_proc WHERE pronamespace = $1::regnamespace ORDER BY 1',
    [`"${schema}"`],
  );
  return rows.map(({ name }) => name);
};
const madeBy = async (schema: string) =>
  (await beside().query(`SELECT version, revision FROM "${schema}".functions`)).rows;

const troublesOf = ({ lines }: Awaited<ReturnType<typeof startOnPostgres>>) =>
  lines.filter(({ level, message }) => level !== 'log' && /store|lease/.test(message));

describe('A schema that newer code brings further', () => {
  it('keeps serving what is under way in the very moment in which helpers are made anew', async () => {
    const { Counting, runs } = counting();
    const app = await startOnPostgres({ providers: [Counting], options: { runner: { concurrency: 5 } } });
    let isOver = false;
    let sent = 0;
    const enqueueing = (async () => {
      while (!isOver) await app.jobs.enqueue(Counting, sent++, { retries: 0 });
    })();
    for (let release = 1; release <= 30; release++) {
      const { functions } = release % 2 === 1 ? newer : ourSources;
      const before = runs.length;
      await migrateTo(app.schema, { ...newer, version: `99.0.${release}`, functions });
      await eventually(() => runs.length > before + 10);
    }
    isOver = true;
    await enqueueing;
    await eventually(() => runs.length === sent);
    expect(troublesOf(app)).toEqual([]);
  });

  it('keeps serving an application of the older, that runs meanwhile and that starts afterwards', async () => {
    const { Counting, runs } = counting();
    const app = await startOnPostgres({ providers: [Counting], options: { runner: { concurrency: 5 } } });
    const { schema } = app;
    let isOver = false;
    let sent = 0;
    const enqueueing = (async () => {
      while (!isOver) await app.jobs.enqueue(Counting, sent++, { retries: 0 });
    })();
    await eventually(() => runs.length > 50);
    await migrateTo(schema, newer);
    const before = runs.length;
    await eventually(() => runs.length > before + 200);
    isOver = true;
    await enqueueing;
    await eventually(() => runs.length === sent);
    expect(new Set(runs).size).toBe(sent);
    expect(troublesOf(app)).toEqual([]);
    expect(await functionsOf(schema)).toContain('more_v1');
    expect(await functionsOf(schema)).not.toContain('told_edge');

    const late = counting();
    const other = await startOnPostgres({ providers: [late.Counting], options: { prefix: schema } });
    await app.runner.stop();
    await other.jobs.enqueue(late.Counting, 1);
    await eventually(() => late.runs.length === 1);
    expect(await madeBy(schema)).toEqual([{ version: '99.0.0', revision: revisionOf(newer) }]);
    expect(await functionsOf(schema)).toContain('more_v1');
  });

  it('lets others have a table that an open transaction keeps from the migration', async () => {
    const { Counting, runs } = counting();
    const app = await startOnPostgres({ providers: [Counting] });
    const transaction = await openTransaction();
    await transaction.query(`SELECT FROM "${app.schema}".tasks`);
    await expect(migrateTo(app.schema, newer)).rejects.toMatchObject({ code: '55P03' });
    await app.jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
  });
});

describe('A schema whose functions are of older code', () => {
  it('gets those of the code that starts, though a result has changed', async () => {
    const schema = await newSchema();
    const older: SchemaSources = { ...newer, version: '0.0.1', migrations: ourSources.migrations };
    await migrateTo(schema, older);
    const { Counting, runs } = counting();
    const app = await startOnPostgres({ providers: [Counting], options: { prefix: schema } });
    await app.jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    expect(await madeBy(schema)).toEqual([{ version: ourSources.version, revision: revisionOf(ourSources) }]);
    expect(await functionsOf(schema)).toContain('told_edge');
    expect(await functionsOf(schema)).not.toContain('told_edge_now');
  });

  it('gets them also where nothing tells which it has, and leaves those of others', async () => {
    const schema = await newSchema();
    await migrateTo(schema, ourSources);
    await beside().query(`
      DROP TABLE "${schema}".functions;
      DROP FUNCTION "${schema}".exchange_v1;
      CREATE FUNCTION "${schema}".exchange_v1(names text[], room integer[], asked text) RETURNS json LANGUAGE sql AS $$ SELECT '1'::json $$;
      DROP FUNCTION "${schema}".moved;
      CREATE FUNCTION "${schema}".moved(queue text, was text, "is" text, tasks integer DEFAULT 1) RETURNS void LANGUAGE sql AS '';
      CREATE FUNCTION "${schema}".moved(queue text) RETURNS void LANGUAGE sql AS '';
      CREATE FUNCTION "${schema}".of_others() RETURNS integer LANGUAGE sql AS 'SELECT 1';
    `);
    const { Counting, runs } = counting();
    const app = await startOnPostgres({ providers: [Counting], options: { prefix: schema } });
    await app.jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    const found = await functionsOf(schema);
    expect(found.filter((name) => name === 'moved')).toHaveLength(1);
    expect(found).toContain('of_others');
  });

  it('is refused by a process that may not make them, which says what to run', async () => {
    const schema = await newSchema();
    await migrateTo(schema, { ...ourSources, version: '0.0.1', functions: newer.functions });
    const { postgresBackend } = await import('nestjs-jobs/postgres');
    const backend = postgresBackend({ url: postgresUrl, migrate: false });
    const starting = startOnPostgres({ options: { prefix: schema, backend } });
    await expect(starting).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(
        /has functions of nestjs-jobs 0\.0\.1, .* sql --schema \S+ --from 1` prints/,
      ),
    });
    // As often as one likes.
    for (let n = 0; n < 2; n++) await beside().query(`BEGIN; ${upSql(schema, 1)} COMMIT;`);
    await beside().query(`BEGIN; ${upSql(schema)} COMMIT;`);
    await startOnPostgres({
      options: { prefix: schema, backend: postgresBackend({ url: postgresUrl, migrate: false }) },
    });
  });
});

describe('A boot', () => {
  it('leaves a function of the application alone that has the name of one of ours', async () => {
    const schema = await newSchema();
    await beside().query(
      `CREATE FUNCTION "${schema}".finish(n integer) RETURNS integer LANGUAGE sql AS 'SELECT n'`,
    );
    await startOnPostgres({ options: { prefix: schema } });
    expect((await functionsOf(schema)).filter((name) => name === 'finish')).toHaveLength(2);
  });

  it('waits for a transaction that keeps it from the schema', async () => {
    const schema = await newSchema();
    await migrateTo(schema, ourSources);
    const transaction = await openTransaction();
    await transaction.query(`LOCK TABLE "${schema}".migrations`);
    const starting = startOnPostgres({ options: { prefix: schema } });
    const isWaiting = async () => {
      const asked = [`"${schema}".migrations`];
      const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND relation = to_regclass($1)';
      return (await transaction.query(waiting, asked)).rowCount! > 0;
    };
    await eventually(isWaiting);
    await eventually(async () => !(await isWaiting()));
    await transaction.query('COMMIT');
    await starting;
  });
});

describe('Versions of the package', () => {
  it.each([
    ['0.1.0', '0.1.1'],
    ['0.9.0', '0.10.0'],
    ['1.0.0-beta.9', '1.0.0-beta.10'],
    ['1.0.0-beta.9', '1.0.0'],
    ['0.99.99', '1.0.0-beta.1'],
  ])('%s comes before %s', (one, other) => {
    expect([isOlder(one, other), isOlder(other, one), isOlder(one, one)]).toEqual([true, false, false]);
  });
});
