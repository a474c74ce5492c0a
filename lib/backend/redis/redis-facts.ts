import type { Redis } from 'ioredis';
import type { Durability } from '../backend.js';

/** What a server says of itself; undefined where it may not be asked. */
export interface ServerFacts {
  readonly version: string | undefined;
  /** What it deletes when its memory is full. */
  readonly policy: string | undefined;
  readonly durability: Durability;
}

/** INFO first, which managed servers allow; CONFIG only for what it lacks. Either may be forbidden. */
export async function readFacts(server: Redis): Promise<ServerFacts> {
  const info = await infoOf(server);
  const setting = (name: string) => settingOf(server, name);
  return {
    version: info.get('redis_version') ?? (await versionByHello(server)),
    policy: info.get('maxmemory_policy') ?? (await setting('maxmemory-policy')),
    durability: await durabilityOf(info.get('aof_enabled'), setting),
  };
}

async function durabilityOf(
  aofEnabled: string | undefined,
  setting: (name: string) => Promise<string | undefined>,
): Promise<Durability> {
  const appends = aofEnabled === undefined ? await setting('appendonly') : aofEnabled === '1' ? 'yes' : 'no';
  if (appends === undefined) return 'unknown';
  if (appends === 'no') {
    const save = await setting('save');
    if (save === undefined) return 'unknown';
    return save === '' ? 'none' : 'snapshots';
  }
  const flush = await setting('appendfsync');
  if (flush === 'always' || flush === 'everysec') return flush;
  // The system flushes when it likes: as with snapshots, some minutes may be lost.
  return flush === 'no' ? 'snapshots' : 'unknown';
}

/** All sections in one call: older servers take one section only. */
async function infoOf(server: Redis): Promise<Map<string, string>> {
  const text = await server.info().catch(ifForbidden);
  const lines = (text ?? '').split(/\r?\n/).map((line) => /^([a-z_]+):(.*)$/.exec(line));
  return new Map(lines.flatMap((line) => (line ? [[line[1]!, line[2]!] as const] : [])));
}

async function settingOf(server: Redis, name: string): Promise<string | undefined> {
  const reply = await server.config('GET', name).catch(ifForbidden);
  const flat = reply && !Array.isArray(reply) ? Object.entries(reply).flat() : reply;
  return (flat as string[] | undefined)?.[1];
}

/** Nobody is forbidden to say hello, and the answer names the version. */
async function versionByHello(server: Redis): Promise<string | undefined> {
  const reply = await server.call('HELLO').catch(ifForbidden);
  const flat = (Array.isArray(reply) ? reply : Object.entries(reply ?? {})).flat() as unknown[];
  const at = flat.indexOf('version');
  return at < 0 ? undefined : String(flat[at + 1]);
}

/** Forbidden, renamed or unknown: all the server says then is an error, which must not stop the boot. */
function ifForbidden(error: unknown): undefined {
  if (error instanceof Error && error.name === 'ReplyError') return undefined;
  throw error;
}
