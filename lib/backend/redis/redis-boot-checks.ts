import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Durability } from '../backend.js';
import { UnusableStoreError } from '../errors.js';
import { readFacts, type ServerFacts } from './redis-facts.js';
import { refusal } from './redis-refusal.js';
import { checkRights } from './redis-rights.js';
import type { BellKind } from './redis-scripts.js';

/** What is to be checked, and how it is spoken of. */
export interface BootCheck {
  readonly name: string;
  readonly prefix: string;
  /** Whether what would be warned of stops the boot. */
  readonly strict: boolean;
  readonly isCluster: boolean;
}

/** From the worst to the best: of several servers the worst counts. */
const levels: Record<Durability, string> = {
  none: 'none: nothing is kept on disk',
  unknown: 'unknown: the server does not say',
  snapshots: 'snapshots: what came after the latest one is lost when the server crashes',
  everysec: 'everysec: a crash of the server may cost the latest second',
  always: 'always: what was acknowledged is on disk',
};

/** What the servers are like. */
export interface BootFindings {
  readonly durability: Durability;
  /** Sharded where the cluster knows that. */
  readonly bells: BellKind;
}

/** Looks at each server that holds tasks, on a cluster each primary. Rejects where tasks cannot be kept. */
export async function checkServers(servers: readonly Redis[], check: BootCheck): Promise<BootFindings> {
  const found: ServerFacts[] = [];
  for (const server of servers) {
    const facts = await readFacts(server).catch((error: Error) => {
      throw refusal(check.name, error);
    });
    checkVersion(facts.version, check.name);
    found.push(facts);
  }
  if (found.length === 0) throw new UnusableStoreError(`${check.name} cannot be used: no server answers`);
  const isSharded = check.isCluster && found.every(({ version }) => Number.parseInt(version ?? '') >= 7);
  const bells = isSharded ? 'sharded' : 'plain';
  for (const server of servers) await checkRights(server, check.name, check.prefix, bells);
  const durability = worst(found);
  const dangers = [...new Set(found.flatMap(({ policy }) => evictionDanger(policy)))];
  if (durability === 'none')
    dangers.push(
      'it keeps nothing on disk: a restart loses every task; set `appendonly yes` (and `appendfsync always` to lose nothing)',
    );
  if (check.strict && dangers.length > 0)
    throw new UnusableStoreError(`${check.name} cannot be used with strict: ${dangers.join('; ')}`);
  const logger = new Logger('JobsModule');
  for (const danger of dangers) logger.warn(`${check.name}: ${danger}`);
  logger.log(`${check.name}: durability ${levels[durability]}`);
  return { durability, bells };
}

export function checkVersion(version: string | undefined, name: string): void {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  // A server that hides its version is tried all the same: the rights check runs what is needed.
  if (major === undefined) return;
  if (Number(major) < 6 || (Number(major) === 6 && Number(minor) < 2))
    throw new UnusableStoreError(
      `${name} cannot be used: its version ${version} is too old, 6.2 or newer is needed`,
    );
}

function evictionDanger(policy: string | undefined): string[] {
  if (policy === undefined || policy === 'noeviction') return [];
  return [
    `its eviction policy is '${policy}': when its memory is full it may delete tasks; set \`maxmemory-policy noeviction\``,
  ];
}

function worst(found: readonly ServerFacts[]): Durability {
  const order = Object.keys(levels) as Durability[];
  return order.find((level) => found.some(({ durability }) => durability === level)) ?? 'unknown';
}
