import type { Durability } from '../backend.js';
import { UnusableStoreError } from '../errors.js';
import type { SqlSession } from './postgres-migrate.js';

const oldest = 13;
/** PostgreSQL cuts longer names, and the bell adds to it. */
const longestSchema = 58;

/** Rejects where tasks cannot be kept; answers what a crash of the server may cost. */
export async function checkServer(session: SqlSession, name: string, schema: string): Promise<Durability> {
  if (Buffer.byteLength(schema) > longestSchema)
    throw new UnusableStoreError(
      `${name} cannot be used: the prefix '${schema}' is longer than ${longestSchema} bytes`,
    );
  const [row] = await session.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, pg_is_in_recovery() AS is_standby,
      current_setting('server_encoding') AS encoding`,
    [],
  );
  const { version, number, fsync, commit, encoding, is_standby: isStandby } = row as Record<string, string>;
  if (Number(number) < oldest * 10_000)
    throw new UnusableStoreError(
      `${name} cannot be used: it is PostgreSQL ${version}, and ${oldest} or newer is needed`,
    );
  if (isStandby)
    throw new UnusableStoreError(
      `${name} cannot be used: it is a standby, which takes no writes; name the primary`,
    );
  if (encoding !== 'UTF8')
    throw new UnusableStoreError(
      `${name} cannot be used: its encoding is ${encoding}, which cannot hold every text; a database in UTF8 is needed`,
    );
  if (fsync === 'off') return 'none';
  return commit === 'off' ? 'everysec' : 'always';
}
