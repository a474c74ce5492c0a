// Writes ../lua-sources.ts from the scripts beside this file, so that jest, bundlers and both builds find them.
// Run by `npm run embed`; a test fails where the two differ.
import { readFileSync, writeFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);

/** The parts of each script, in order; those without a file of their own name end it. */
const scripts = {
  add: ['common', 'add-task', 'add'],
  claim: ['common', 'claim', 'return claim(1)'],
  settle: ['common', 'settle', 'return (settle(1))'],
  // What a busy runner sends: the outcomes of the moment and the next claim, in one call.
  settleAndClaim: [
    'common',
    'settle',
    'claim',
    'local letters, at = settle(1)\nlocal reply = claim(at)\ntable.insert(reply, 1, letters)\nreturn reply',
  ],
  renew: ['common', 'renew'],
  read: ['common', 'read'],
  act: ['common', 'act'],
  pause: ['common', 'pause'],
  schedule: ['common', 'add-task', 'schedule'],
};
const files = ['common', 'add-task', 'add', 'claim', 'settle', 'renew', 'read', 'act', 'pause', 'schedule'];

/** @param {string} name */
const source = (name) =>
  readFileSync(new URL(`${name}.lua`, here), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('--'))
    .join('\n');

/** @param {string} name */
const variable = (name) => name.replace(/-(.)/g, (_, /** @type {string} */ letter) => letter.toUpperCase());
/** @param {string} name */
const part = (name) => (files.includes(name) ? variable(name) : JSON.stringify(name));

export function embedded() {
  return [
    '// Made from lua/*.lua by `npm run embed`; edit those.',
    ...files.map((name) => `const ${variable(name)} = ${JSON.stringify(source(name))};`),
    'export const luaSources = {',
    ...Object.entries(scripts).map(
      ([name, parts]) => `  ${name}: [${parts.map(part).join(', ')}].join('\\n'),`,
    ),
    '};',
    '',
  ].join('\n');
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  writeFileSync(new URL('../lua-sources.ts', here), embedded());
