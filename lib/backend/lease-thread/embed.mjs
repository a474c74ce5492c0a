// Writes ../<engine>/lease-thread-source.ts from <engine>/lease-thread/thread.ts and what that imports, so that jest,
// bundlers and both builds find the thread's code. Run by `npm run embed`; a test fails where the two differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { transformSync } from '@swc/core';

export const engines = ['redis', 'postgres'];

/** Files are named by their paths from here. */
const backend = new URL('..', import.meta.url);

/** A file as CommonJS, whose requires name files as we do. @param {string} name */
const compiled = (name) =>
  transformSync(readFileSync(new URL(name.replace(/\.js$/, '.ts'), backend), 'utf8'), {
    jsc: {
      parser: { syntax: 'typescript' },
      target: 'es2022',
      minify: { compress: false, mangle: false },
    },
    module: { type: 'commonjs', strictMode: false },
    minify: true,
    configFile: false,
    swcrc: false,
  }).code.replace(
    /require\("(\.[^"]+)"\)/g,
    (_, /** @type {string} */ other) => `require("${posix.join(posix.dirname(name), other)}")`,
  );

/** A file after those that it needs. @param {string} name @param {Map<string, string>} found */
function collect(name, found = new Map()) {
  const code = compiled(name);
  for (const [, other] of code.matchAll(/require\("([^"]+\.js)"\)/g))
    if (!found.has(other)) collect(other, found);
  return found.set(name, code);
}

/** One text of all files, each loaded once, when it is first required. @param {string} entry */
const bundle = (entry) =>
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

/** @param {string} engine */
export function embedded(engine) {
  return [
    '// Made from lease-thread/thread.ts by `npm run embed`; edit that, and what it imports.',
    `export const leaseThreadSource = ${JSON.stringify(bundle(`${engine}/lease-thread/thread.js`))};`,
    '',
  ].join('\n');
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  for (const engine of engines)
    writeFileSync(new URL(`${engine}/lease-thread-source.ts`, backend), embedded(engine));
