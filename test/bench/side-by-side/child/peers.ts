import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const folder = join(process.cwd(), 'test/bench/peers');
const require = createRequire(join(folder, 'package.json'));

/** A peer from the folder that has them; the library's own install knows none. */
export function loadPeer<T>(name: string): T {
  return require(name) as T;
}

export function peerVersion(name: string): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
