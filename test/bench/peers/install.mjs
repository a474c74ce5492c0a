// Brings the peers of the benchmarks where they are missing; the library depends on none of them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

export function installPeers() {
  const { dependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  if (Object.keys(dependencies).every((name) => existsSync(`${folder}/node_modules/${name}`))) return;
  console.error('installing the peers …');
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`the peers could not be installed: try \`npm install\` in ${folder}`);
}

/** A Node that all peers run on: theirs where its install script could bring it, else this one if it is new enough. */
export function newerNode() {
  const brought = `${folder}/node_modules/node/bin/node`;
  if (existsSync(brought)) return brought;
  if (Number(process.versions.node.split('.')[0]) > 22) return process.execPath;
  throw new Error(
    `the peers need Node 24 or newer: run the benchmark by one, or \`npm rebuild node\` in ${folder}`,
  );
}
