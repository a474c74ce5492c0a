import { InvalidOptionError } from '../../task/errors.js';
import type { PgConfig, PgliteDatabase, PgPool } from './drivers.js';

/** Where the tasks are: one of `url`, `pool` and `pglite`. */
export interface PostgresBackendOptions {
  /** `postgres://user:password@host/database`, with the parameters that `pg` knows. */
  readonly url?: string;
  /**
   * A pool of the application: enqueueing and the catalog take its connections. Runners, bell and leases have connections of
   * their own, made like those of the pool, so that handlers which hold all of it do not starve them. It is never ended.
   */
  readonly pool?: PgPool;
  /** PostgreSQL in this process: a folder, `memory://`, or a database that the application has opened, which is never closed. */
  readonly pglite?: string | PgliteDatabase;
  /**
   * Whether the schema is made, and brought to the newest version, at boot.
   * @default true
   */
  readonly migrate?: boolean;
  /**
   * Whether processes tell each other of work by LISTEN and NOTIFY. Behind a pooler that hands connections from transaction to
   * transaction (PgBouncer) that does not work: with false other processes find work by their sweep.
   * @default true
   */
  readonly notify?: boolean;
}

/** The database, however it was said. */
export type PostgresTarget =
  | { readonly type: 'server'; readonly config: PgConfig; readonly pool?: PgPool }
  | { readonly type: 'pglite'; readonly database: string | PgliteDatabase };

const known = ['url', 'pool', 'pglite', 'migrate', 'notify'];

export function postgresTarget(given: PostgresBackendOptions): PostgresTarget {
  for (const key of Object.keys(given ?? {}))
    if (!known.includes(key)) refuse(key, 'an unknown option', `one of ${known.join(', ')}`);
  const { url, pool, pglite, migrate, notify } = given ?? {};
  for (const [option, value] of Object.entries({ migrate, notify }))
    if (value !== undefined && typeof value !== 'boolean') refuse(option, value, 'true or false');
  const chosen = [url, pool, pglite].filter((one) => one !== undefined);
  if (chosen.length !== 1)
    refuse('url', chosen.length === 0 ? 'not given' : 'several', 'exactly one of url, pool and pglite');
  if (url !== undefined) return { type: 'server', config: configOf(url) };
  if (pool !== undefined) return { type: 'server', config: configLike(pool), pool };
  return { type: 'pglite', database: databaseOf(pglite) };
}

/** What logs call it: no user, no password. */
export function nameOf(target: PostgresTarget): string {
  if (target.type === 'pglite')
    return typeof target.database === 'string' ? `pglite in ${target.database}` : 'pglite';
  const { connectionString, host = 'localhost', port = 5432, database } = target.config;
  if (connectionString === undefined) return `postgres at ${host}:${port}${database ? `/${database}` : ''}`;
  const { host: where, pathname } = new URL(connectionString);
  return `postgres at ${where || 'localhost'}${pathname}`;
}

function configOf(url: unknown): PgConfig {
  if (typeof url !== 'string' || !/^postgres(ql)?:\/\//i.test(url) || !URL.canParse(url))
    refuse('url', 'something else', "an address such as 'postgres://user:password@localhost:5432/app'");
  return { connectionString: url };
}

/** The settings of a pool's connections, without those that are about the pool. */
function configLike(pool: PgPool): PgConfig {
  const options = pool?.options as unknown;
  if (typeof pool?.connect !== 'function' || typeof options !== 'object' || options === null)
    refuse('pool', 'something else', "a Pool of the package 'pg'");
  const aboutThePool = new Set([
    'max',
    'min',
    'maxUses',
    'maxLifetimeSeconds',
    'allowExitOnIdle',
    'idleTimeoutMillis',
    'Client',
    'Promise',
    'log',
    'verify',
    'onConnect',
  ]);
  // By name: `pg` keeps passwords from being listed.
  const names = Object.getOwnPropertyNames(options).filter((option) => !aboutThePool.has(option));
  return Object.fromEntries(names.map((option) => [option, (options as Record<string, unknown>)[option]]));
}

function databaseOf(pglite: unknown): string | PgliteDatabase {
  const isDatabase = typeof (pglite as PgliteDatabase | null)?.transaction === 'function';
  if ((typeof pglite !== 'string' || pglite === '') && !isDatabase)
    refuse('pglite', 'something else', "a folder such as './data', 'memory://', or a PGlite database");
  return pglite as string | PgliteDatabase;
}

function refuse(option: string, value: unknown, expected: string): never {
  throw new InvalidOptionError('postgresBackend', option, value, expected);
}
