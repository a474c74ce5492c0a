import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ParamsType } from '../../lib/task/params.js';
import { paramsFingerprint } from '../../lib/task/params-fingerprint.js';
import { makeOwnBuild } from '../support/own-build.js';

const fixtures = join(import.meta.dirname, 'fixtures');
let build: Awaited<ReturnType<typeof makeOwnBuild>>;
beforeAll(async () => {
  build = await makeOwnBuild();
}, 120_000);
afterAll(() => build.remove());

async function inAnotherProcess(way: string): Promise<Record<string, string>> {
  const args = [join(fixtures, 'fingerprints.mjs'), build.directory, way];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Record<string, string>;
}

describe('the fingerprint of a definition', () => {
  it('is the same in every process that has the same code, whatever came before', async () => {
    const fixture = join(fixtures, 'definitions.mjs');
    const { definitions } = (await import(fixture)) as { definitions: () => Record<string, ParamsType> };
    const here = Object.fromEntries(
      Object.entries(definitions()).map(([name, params]) => [name, paramsFingerprint(params)]),
    );
    expect(new Set(Object.values(here)).size).toBe(4);
    expect(await inAnotherProcess('straight on')).toEqual(here);
    expect(await inAnotherProcess('the other way round')).toEqual(here);
  });
});
