import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stage } from './stage.js';

/** PostgreSQL inside the only process that uses it, durable in a folder. */
export async function openPglite(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-jobs-chaos-pglite-'));
  const own = join(process.cwd(), 'node_modules/@electric-sql/pglite/package.json');
  const { version } = JSON.parse(readFileSync(own, 'utf8')) as { version: string };
  return {
    backend: 'pglite',
    version: `PGlite ${version}, on disk`,
    address: { postgres: { pglite: join(folder, 'data') } },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
