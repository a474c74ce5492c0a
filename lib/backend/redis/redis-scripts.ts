import { createHash } from 'node:crypto';
import { luaSources } from './lua-sources.js';

export type ScriptName = keyof typeof luaSources;

/** How bells ring: to all who listen anywhere, or within the part of a cluster that has the queue. */
export type BellKind = 'plain' | 'sharded';

export interface Script {
  readonly source: string;
  readonly sha: string;
}

const names = Object.keys(luaSources) as ScriptName[];

/** The scripts with the names by which a server knows them once it has seen them. */
export function scriptsFor(bells: BellKind): Record<ScriptName, Script> {
  const scripts = names.map((name) => [name, scriptOf(luaSources[name], bells)]);
  return Object.fromEntries(scripts) as Record<ScriptName, Script>;
}

export function scriptOf(text: string, bells: BellKind): Script {
  const source = bells === 'plain' ? text : text.replaceAll("'PUBLISH'", "'SPUBLISH'");
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}
