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
  const script = (name: ScriptName): Script => {
    const source =
      bells === 'plain' ? luaSources[name] : luaSources[name].replaceAll("'PUBLISH'", "'SPUBLISH'");
    return { source, sha: createHash('sha1').update(source).digest('hex') };
  };
  return Object.fromEntries(names.map((name) => [name, script(name)])) as Record<ScriptName, Script>;
}
