import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe('The embedded lease thread', () => {
  it('is what its files say: after a change of them, run `npm run embed`', () => {
    const printed = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        "import { embedded } from './lib/backend/redis/lease-thread/embed.mjs'; process.stdout.write(embedded());",
      ],
      { encoding: 'utf8' },
    );
    expect(readFileSync('lib/backend/redis/lease-thread-source.ts', 'utf8')).toBe(printed);
  });
});
