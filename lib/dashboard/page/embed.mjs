// Writes page-files.ts from the built page, so that jest, bundlers and both builds find it. Run by `npm run page`; a test
// fails where the page's sources are no longer those that it was built from.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '../../..');
const sources = join(root, 'page');
const built = join(root, '.tmp/page');
/** What the page shares with the server, and is not types alone. */
const shared = [join(root, 'lib/dashboard/api/basics.ts')];

/** @type {Record<string, string>} */
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** @param {string} folder */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** @param {string | Buffer} content */
const hashOf = (content) => createHash('sha256').update(content).digest('base64url').slice(0, 22);

/** Changes with whatever the page is built from. */
export function sourcesHash() {
  const files = [...filesIn(sources), ...shared];
  return hashOf(
    files
      .map((file) => `${file.slice(root.length).split(sep).join('/')}\n${readFileSync(file, 'utf8')}`)
      .join('\n'),
  );
}

function embedded() {
  const lines = filesIn(built).map((file) => {
    const type = types[extname(file)];
    if (type === undefined) throw new Error(`${file}: which type has it?`);
    const content = readFileSync(file);
    const name = file
      .slice(built.length + 1)
      .split(sep)
      .join('/');
    const gzip = gzipSync(content, { level: 9 }).toString('base64');
    return `  ${JSON.stringify(name)}: ${JSON.stringify({ type, hash: hashOf(content), gzip })},`;
  });
  return [
    '// Made from page/ by `npm run page`; edit that.',
    `export const builtFrom = '${sourcesHash()}';`,
    'export const pageFiles = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(join(import.meta.dirname, 'page-files.ts'), embedded());
