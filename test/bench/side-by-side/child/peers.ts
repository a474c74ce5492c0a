import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const folder = join(process.cwd(), 'test/bench/peers');

/** A peer from the folder that has them; the library's own install knows none. */
export function loadPeer<T>(name: string): T {
  return createRequire(join(folder, 'package.json'))(name) as T;
}

export function peerVersion(name: string): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The packages of those libraries that are measured, with their versions. */
export function peerVersions(
  packages: Readonly<Record<string, string>>,
  systems: readonly string[],
): string[] {
  const names = new Set(systems.flatMap((system) => packages[system] ?? []));
  return [...names].map((name) => `${name} ${peerVersion(name)}`);
}
