import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { campaign, type CampaignSettings } from './campaign.js';
import { reportOf } from './report.js';
import { backendNames, type BackendName } from './stages/stage.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    backend: { type: 'string' },
    rounds: { type: 'string' },
    'at-once': { type: 'string', default: '1' },
  },
});
const form = values.long ? 'long' : values.short ? 'short' : 'middle';
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)));

const backends = values.backend?.split(',');
const unknown = backends?.find((name) => !(backendNames as readonly string[]).includes(name));
if (unknown !== undefined)
  throw new Error(`there is no backend ${unknown}: one of ${backendNames.join(', ')}`);

const settings: CampaignSettings = {
  form,
  seed: Number(values.seed),
  only: values.only?.split(','),
  backends: backends as BackendName[] | undefined,
  rounds: values.rounds === undefined ? undefined : Number(values.rounds),
  atOnce: Number(values['at-once']),
  build: join(process.cwd(), 'dist/esm'),
  signal: ending.signal,
  tell: (line) => console.log(line),
};
try {
  const rows = await campaign(settings);
  const report = reportOf(rows, form, settings.seed);
  const folder = join(process.cwd(), '.tmp/chaos');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.md'), report);
  console.log(`\n${report}`);
  const isBroken = rows.some(({ results }) => results.some(({ broken }) => broken.length > 0));
  if (ending.signal.aborted) console.log('It was ended early.');
  process.exitCode = isBroken || ending.signal.aborted ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
