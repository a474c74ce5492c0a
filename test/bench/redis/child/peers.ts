import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'test/bench/peers/package.json'));

/** A peer from the folder that has them; the library's own install knows none. */
export function loadPeer<T>(name: string): T {
  return require(name) as T;
}

export function peerVersion(name: string): string {
  return loadPeer<{ version: string }>(`${name}/package.json`).version;
}
