import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeOwnBuild } from '../support/own-build.js';
import { readme } from '../support/readme.js';

let own: Awaited<ReturnType<typeof makeOwnBuild>>;

beforeAll(async () => {
  own = await makeOwnBuild();
}, 120_000);

afterAll(() => own.remove());

describe("The README's options for nestjs-cls", () => {
  it('take what a request has set to the run of its task, and to nobody else', async () => {
    const expression = /^```js\n(JobsModule\.forRootAsync[\s\S]*?ClsService[\s\S]*?);?\n```/m.exec(
      readme,
    )![1]!;
    const script = join(process.cwd(), 'test/e2e/fixtures/cls-process.mjs');
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [script, own.directory, expression],
      { env, timeout: 30_000 },
    );
    expect(stderr.replace(/.*Warning.*\n?|.*--trace-warnings.*\n?/g, '')).toBe('');
    expect((JSON.parse(stdout) as string[]).toSorted()).toEqual([
      'after of a request: acme',
      'after of nobody: undefined',
      'of a request: acme',
      'of nobody: undefined',
    ]);
  });
});
