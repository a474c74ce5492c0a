import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe('The embedded SQL', () => {
  it('is what the migrations and functions say: after a change of them, run `npm run embed`', () => {
    const printed = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        "import { embedded } from './lib/backend/postgres/sql/embed.mjs'; process.stdout.write(embedded());",
      ],
      { encoding: 'utf8' },
    );
    expect(readFileSync('lib/backend/postgres/sql-sources.ts', 'utf8')).toBe(printed);
  });
});
