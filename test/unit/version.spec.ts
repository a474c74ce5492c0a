import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { version } from '../../lib/task/version.js';

it('Runners report the version of the package', () => {
  expect(version).toBe((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version);
});
