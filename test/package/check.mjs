/** Packs the package as npm would publish it, and uses it in fresh applications as a stranger would. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../support/servers/redis.mjs';
import { checkTypes, npm, run, stopAll } from './processes.mjs';
import { isServed, isUp } from './scripts.mjs';
import { interrupt, report, step } from './steps.mjs';
import { filesInPlace, lint, resolvableTypes } from './tarball.mjs';

const here = import.meta.dirname;
const repository = join(here, '../..');
const temporary = await realpath(await mkdtemp(join(tmpdir(), 'nestjs-jobs-')));
const tarball = join(temporary, 'nestjs-jobs.tgz');
const redis = await startRedis();
process.env.REDIS_URL = redis.url;

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    interrupt();
    void end(1);
  });
try {
  if (await step('pack', pack)) await checkAll();
} finally {
  await end(report());
}

async function checkAll() {
  await step('the tarball holds what it should', () => filesInPlace(tarball, repository));
  await step('publint finds nothing', () => lint(tarball));
  await step('types resolve in every mode', () => resolvableTypes(tarball));
  await tryOut('nest-12-esm', (folder) => ({
    'require() loads it': () => run(folder, 'node', '-e', loads('require')),
  }));
  await tryOut('nest-11-commonjs', (folder) => ({
    'types, resolved as node16': () =>
      checkTypes(folder, '--module', 'node16', '--moduleResolution', 'node16'),
    'types, resolved as by bundlers': () =>
      checkTypes(folder, '--module', 'es2022', '--moduleResolution', 'bundler'),
    'import() loads it': () => run(folder, 'node', '-e', loads('await import')),
  }));
}

async function pack() {
  await npm(repository, 'pack', '--pack-destination', temporary);
  const [made] = await readdir(temporary);
  await rename(join(temporary, made), tarball);
}

/** An application in a folder of its own: the shared source, and what makes it a Nest 12 or a Nest 11 one. */
async function tryOut(name, furtherChecks) {
  const folder = join(temporary, name);
  const nest = name === 'nest-12-esm' ? '12' : '11';
  const checks = {
    install: async () => {
      await cp(join(here, 'app'), folder, { recursive: true });
      await cp(join(here, name), folder, { recursive: true });
      await npm(folder, 'install', '--prefer-offline', '--no-package-lock');
    },
    'types, with those of the package': () => checkTypes(folder),
    compile: () => npm(folder, 'run', 'build'),
    run: () => npm(folder, 'start'),
    'its own jest': () => npm(folder, 'test'),
    'the command prints SQL': () => printsSql(folder),
    ...furtherChecks(folder),
    'install PGlite': () =>
      npm(folder, 'install', '--prefer-offline', '--no-package-lock', '@electric-sql/pglite'),
    'run on PGlite': () => run(folder, 'node', 'dist/pglite.js'),
    'install terminus': () =>
      npm(folder, 'install', '--prefer-offline', '--no-package-lock', `@nestjs/terminus@${nest}`),
    'its indicator is up': () => run(folder, 'node', '-e', isUp),
    'install Express and Fastify': () =>
      npm(
        folder,
        'install',
        '--prefer-offline',
        '--no-package-lock',
        `@nestjs/platform-express@${nest}`,
        `@nestjs/platform-fastify@${nest}`,
      ),
    'its dashboard answers': () => run(folder, 'node', '-e', isServed),
  };
  for (const [what, check] of Object.entries(checks)) {
    const isPassed = await step(`${name}: ${what}`, check);
    if (!isPassed && what === 'install') return;
  }
}

async function printsSql(folder) {
  const sql = await run(folder, 'npx', '--no-install', 'nestjs-jobs', 'sql', '--schema', 'shop');
  assert.match(
    sql,
    /BEGIN;\nSELECT pg_advisory_xact_lock\(.*\);\nCREATE SCHEMA IF NOT EXISTS "shop";[\s\S]*CREATE TABLE tasks[\s\S]*COMMIT;/,
  );
}

/** A script that fails unless the package gives its names in that way. */
function loads(how) {
  return `void (async () => {
    const { JobsModule } = ${how}('nestjs-jobs');
    const { redisBackend } = ${how}('nestjs-jobs/redis');
    const { postgresBackend } = ${how}('nestjs-jobs/postgres');
    const { JobsTestingModule } = ${how}('nestjs-jobs/testing');
    JobsTestingModule.forRoot();
    const { JobsDashboardModule } = ${how}('nestjs-jobs/dashboard');
    JobsDashboardModule.forRoot();
    JobsModule.forRoot({ backend: redisBackend({ url: 'redis://localhost' }) });
    JobsModule.forRoot({ backend: postgresBackend({ url: 'postgres://localhost' }) });
  })()`;
}

async function end(code) {
  await stopAll();
  await redis.stop();
  await rm(temporary, { recursive: true, force: true });
  process.exit(code);
}
