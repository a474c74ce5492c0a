// Writes ../lease-thread-source.ts from thread.ts and what it imports, so that jest, bundlers and both builds find the
// thread's code. Run by `npm run embed`; a test fails where the two differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { transformSync } from '@swc/core';

const here = new URL('.', import.meta.url);
const entry = './thread.js';

/** A file as CommonJS. @param {string} name */
const compiled = (name) =>
  transformSync(readFileSync(new URL(name.replace(/\.js$/, '.ts'), here), 'utf8'), {
    jsc: {
      parser: { syntax: 'typescript' },
      target: 'es2022',
      minify: { compress: false, mangle: false },
    },
    module: { type: 'commonjs', strictMode: false },
    minify: true,
    configFile: false,
    swcrc: false,
  }).code;

/** A file after those that it needs. @param {string} name @param {Map<string, string>} found */
function collect(name, found = new Map()) {
  const code = compiled(name);
  for (const [, other] of code.matchAll(/require\("(\.[^"]+)"\)/g))
    if (!found.has(other)) collect(other, found);
  return found.set(name, code);
}

/** One text of all files, each loaded once, when it is first required. */
const bundle = () =>
  [
    "'use strict';",
    'const load = require, loaded = {};',
    'const files = {',
    ...Array.from(collect(entry), ([name, code]) => `'${name}'(exports, require) {\n${code}\n},`),
    '};',
    'function find(name) {',
    '  if (!files[name]) return load(name);',
    '  if (!loaded[name]) files[name]((loaded[name] = {}), find);',
    '  return loaded[name];',
    '}',
    `find('${entry}');`,
  ].join('\n');

export function embedded() {
  return [
    '// Made from lease-thread/thread.ts by `npm run embed`; edit that, and what it imports.',
    `export const leaseThreadSource = ${JSON.stringify(bundle())};`,
    '',
  ].join('\n');
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  writeFileSync(new URL('../lease-thread-source.ts', here), embedded());
