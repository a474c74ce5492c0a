import { execFileSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { campaign, orderOf, type CampaignSettings, type Row } from './campaign.js';
import { allFaults } from './faults/all-faults.js';
import { ResultFiles } from './results/files.js';
import { resultOf } from './results/result.js';
import { tablesOf } from './results/tables.js';
import { backendNames, type BackendName } from './stages/stage.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    /** Keeps the result in docs/chaos, and writes the README's tables. */
    write: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    backend: { type: 'string' },
    rounds: { type: 'string' },
    'at-once': { type: 'string', default: '1' },
  },
});
const form = values.long ? 'long' : values.short ? 'short' : 'middle';
if (values.write && form === 'short') throw new Error('the short form is not kept: it is what the tests run');
const ending = new AbortController();
// Every pause of every round at once listens to it.
setMaxListeners(0, ending.signal);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)));

function whole(name: 'seed' | 'rounds' | 'at-once', least: number): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || Number(text) < least)
    throw new Error(`--${name}=${text} is no whole number from ${least} on`);
  return Number(text);
}

/** The parts of a list, each of which must be known. */
function known(text: string | undefined, what: string, isKnown: (part: string) => boolean) {
  const parts = text?.split(',');
  const unknown = parts?.find((part) => !isKnown(part));
  if (unknown !== undefined) throw new Error(`there is no ${what} ${JSON.stringify(unknown)}`);
  return parts;
}

const settings: CampaignSettings = {
  form,
  seed: whole('seed', 0)!,
  only: known(values.only, 'fault of the name', (part) => allFaults.some(({ name }) => name.includes(part))),
  backends: known(values.backend, 'backend', (part) => (backendNames as readonly string[]).includes(part)) as
    BackendName[] | undefined,
  rounds: whole('rounds', 1),
  atOnce: whole('at-once', 1)!,
  build: join(process.cwd(), 'dist/esm'),
  signal: ending.signal,
  tell: (line) => console.log(line),
  played: (rows) => void report(rows),
};

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const origin = { date: new Date().toISOString().slice(0, 10), commit: commitOf(), version };

function commitOf(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'of no repository';
  }
}

/** Written after each round: what was played is not lost by what comes after. */
function report(rows: readonly Row[]): string {
  const text = tablesOf(resultOf(form, rows, origin));
  const folder = join(process.cwd(), '.tmp/chaos');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.md'), `${text}\n`);
  return text;
}

try {
  const rows = await campaign(settings);
  console.log(`\n${report(rows)}`);
  if (values.write) new ResultFiles().keep(resultOf(form, rows, origin), orderOf(form));
  const isBroken = rows.some(({ results }) => results.some(({ broken }) => broken.length > 0));
  if (ending.signal.aborted) console.log('It was ended early.');
  process.exitCode = isBroken || ending.signal.aborted ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
