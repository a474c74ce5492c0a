// Writes ../lua-sources.ts from the scripts beside this file, so that jest, bundlers and both builds find them.
// Run by `npm run embed`; a test fails where the two differ.
import { readFileSync, writeFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);

/** The parts of each script, in order: files, libraries of files that are made only when needed, and ends. */
const library = (/** @type {string[]} */ ...names) => ({ library: ['common', ...names] });
const scripts = {
  addPlain: ['add-plain'],
  add: ['base', library('add-task'), 'add'],
  claim: ['base', library('stats', 'claim-task'), 'claim', 'return claim(1)'],
  settle: ['base', library('notes', 'settle-task'), 'settle', 'return (settle(1))'],
  exchange: ['exchange'],
  // What a busy runner sends where its tasks are not plain: the outcomes of the moment and the next claim, in one call.
  settleAndClaim: [
    'base',
    library('notes', 'settle-task', 'stats', 'claim-task'),
    'settle',
    'claim',
    'local letters, at = settle(1)\nlocal reply = claim(at)\ntable.insert(reply, 1, letters)\nreturn reply',
  ],
  renew: ['base', 'renew'],
  unpark: ['base', 'common', 'unpark'],
  annotate: ['base', 'common', 'notes', 'annotate'],
  read: ['base', 'common', 'place', 'read'],
  glance: ['base', 'glance'],
  act: ['base', 'common', 'act'],
  pause: ['base', 'common', 'pause'],
  locks: ['base', 'common', 'locks'],
  now: ['now'],
  putSchedule: ['base', 'common', 'schedule', 'put-schedule'],
  actOnSchedules: ['base', 'common', 'schedule', 'act-on-schedules'],
  readSchedules: ['base', 'schedule', 'place', 'read-schedules'],
  due: ['base', 'schedule', 'due'],
  report: ['base', 'common', 'stats', 'report'],
  runners: ['base', 'runners'],
  readStats: ['base', 'read-stats'],
  advance: ['base', 'common', 'add-task', 'schedule', 'advance'],
};
/** The files that they are made of: what is not the name of one is an end. */
const named = Object.values(scripts)
  .flat()
  .flatMap((part) => (typeof part === 'string' ? part : part.library));
const files = [...new Set(named)].filter((part) => /^[a-z-]+$/.test(part));

/** @param {string} name */
const source = (name) =>
  readFileSync(new URL(`${name}.lua`, here), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('--'))
    .join('\n');

/** @param {string} name */
const variable = (name) => name.replace(/-(.)/g, (_, /** @type {string} */ letter) => letter.toUpperCase());
/** @param {string | { library: string[] }} part */
const written = (part) => {
  if (typeof part === 'string') return files.includes(part) ? variable(part) : JSON.stringify(part);
  const names = part.library.flatMap((file) =>
    Array.from(source(file).matchAll(/^local function (\w+)/gm), ([, name]) => `${name} = ${name}`),
  );
  const end = `return { ${names.join(', ')} }\nend\nlocal L`;
  return ["'local function library()'", ...part.library.map(variable), JSON.stringify(end)].join(', ');
};

export function embedded() {
  return [
    '// Made from lua/*.lua by `npm run embed`; edit those.',
    ...files.map((name) => `const ${variable(name)} = ${JSON.stringify(source(name))};`),
    'export const luaSources = {',
    ...Object.entries(scripts).map(
      ([name, parts]) => `  ${name}: [${parts.map(written).join(', ')}].join('\\n'),`,
    ),
    '};',
    '',
  ].join('\n');
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  writeFileSync(new URL('../lua-sources.ts', here), embedded());
