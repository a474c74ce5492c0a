import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const embed = './lib/backend/lease-thread/embed.mjs';
const printed = (expression: string) =>
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { embedded, engines } from '${embed}'; process.stdout.write(${expression});`,
    ],
    { encoding: 'utf8' },
  );

describe('The embedded lease thread', () => {
  it.each(printed('engines.join()').split(','))(
    'of %s is what its files say: after a change of them, run `npm run embed`',
    (engine) => {
      expect(readFileSync(`lib/backend/${engine}/lease-thread-source.ts`, 'utf8')).toBe(
        printed(`embedded('${engine}')`),
      );
    },
  );
});
