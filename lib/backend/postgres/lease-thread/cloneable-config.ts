import type { ClientConfig } from 'pg';

/** What to connect by, without what only this thread has: functions, sockets, instances. */
export type CloneableConfig = Readonly<Record<string, unknown>>;

/** What the thread says itself, and what only a pool has a use for. */
const replaced = new Set([
  'application_name',
  'fallback_application_name',
  'connectionTimeoutMillis',
  'query_timeout',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'keepAlive',
  'keepAliveInitialDelayMillis',
  'pipeline',
  'binary',
  'types',
  'Promise',
  'log',
  'verify',
]);

/** The options as another thread can have them; throws, with the option's name, where it cannot. */
export function cloneableConfig(config: ClientConfig): CloneableConfig {
  const given = whole(config).filter(([name, value]) => !replaced.has(name) && value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => {
      try {
        return [name, structuredClone(name === 'connectionString' ? unnamed(value) : uncovered(name, value))];
      } catch {
        throw new Error(`the PostgreSQL option '${name}' cannot be handed to another thread`);
      }
    }),
  );
}

/** pg hides passwords and keys from whoever lists the options. */
function whole(options: object): [string, unknown][] {
  return Object.getOwnPropertyNames(options).map((name) => [name, options[name as keyof typeof options]]);
}

function uncovered(name: string, value: unknown): unknown {
  return name === 'ssl' && typeof value === 'object' && value ? Object.fromEntries(whole(value)) : value;
}

/** A name within an address would win over ours. */
function unnamed(connectionString: unknown): unknown {
  if (typeof connectionString !== 'string') return connectionString;
  return connectionString.replaceAll(/(?<=[?&])(?:fallback_)?application_name=[^&#]*&?/g, '');
}
