// Writes ../sql-sources.ts from the migrations and the files beside this one, so that jest, bundlers and both builds find them.
// Run by `npm run embed`; a test fails where the two differ.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const migrations = new URL('../migrations/', here);

/** In the order in which they are made: a function may name only types that are there; other functions it finds when it runs. */
const functions = readdirSync(here)
  .filter((name) => name.endsWith('.sql'))
  .sort((a, b) => Number(b === 'base.sql') - Number(a === 'base.sql') || (a < b ? -1 : 1));

/** @param {URL} file */
const source = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('--'))
    .join('\n');

/** @param {string} name */
const written = (name) => JSON.stringify(source(new URL(name, migrations)));

export function embedded() {
  const names = [
    ...new Set(readdirSync(migrations).map((name) => name.replace(/\.(up|down)\.sql$/, ''))),
  ].sort();
  return [
    '// Made from migrations/*.sql and sql/*.sql by `npm run embed`; edit those.',
    'export const migrationSources = [',
    ...names.map(
      (name) =>
        `  { name: ${JSON.stringify(name)}, up: ${written(`${name}.up.sql`)}, down: ${written(`${name}.down.sql`)} },`,
    ),
    '];',
    'export const functionSources = [',
    ...functions.map((name) => `  ${JSON.stringify(source(new URL(name, here)))},`),
    '];',
    '',
  ].join('\n');
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  writeFileSync(new URL('../sql-sources.ts', here), embedded());
