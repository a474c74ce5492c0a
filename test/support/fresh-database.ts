import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of the test run's server that nobody else uses. */
export interface FreshDatabase {
  readonly url: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** A user with no rights in it, who is gone with it. */
  role(): Promise<{ readonly name: string; readonly url: string }>;
  drop(): Promise<void>;
}

export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `fresh_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client(process.env.TEST_POSTGRES_URL);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(process.env.TEST_POSTGRES_URL!);
  url.pathname = name;
  const client = new pg.Client(url.href);
  await client.connect();
  const roles: string[] = [];
  return {
    url: url.href,
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    async role() {
      const role = `${name}_${roles.length}`;
      await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
      roles.push(role);
      return { name: role, url: Object.assign(new URL(url), { username: role, password: 'secret' }).href };
    },
    async drop() {
      await client.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      for (const role of roles) await admin.query(`DROP ROLE ${role}`);
      await admin.end();
    },
  };
}
