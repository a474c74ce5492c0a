// Installs the libraries of this folder, once: only these tests need them, so `npm ci` leaves them out.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const marker = `${folder}.tmp/installed`;

export async function installLibraries() {
  const wanted = createHash('sha256');
  for (const file of ['package-lock.json', 'schema.prisma']) wanted.update(readFileSync(folder + file));
  const version = wanted.digest('hex');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === version) return;
  console.log('\ninstalling the libraries of test/orm …');
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  // Only migrations need Prisma's engine; it would be downloaded, unless there is a program of that name.
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  await run(process.execPath, ['node_modules/prisma/build/index.js', 'generate', '--no-hints'], env);
  mkdirSync(`${folder}.tmp`, { recursive: true });
  writeFileSync(marker, version);
}

async function run(command, args, env = {}) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  if (code !== 0) throw new Error(`the libraries could not be installed: try \`npm ci\` in ${folder}`);
}
