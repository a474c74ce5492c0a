import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A build for processes that a test starts: `dist` may be missing, stale, or just being written. */
export async function makeOwnBuild(): Promise<{ directory: string; remove: () => Promise<void> }> {
  const root = process.cwd();
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'nestjs-jobs-e2e-'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const tsc = join(root, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', directory], {
    cwd: root,
  });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
