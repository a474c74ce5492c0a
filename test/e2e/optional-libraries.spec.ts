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

/** What a process of its own says; more than warnings of Node's on the other stream fails. */
async function said(script: string, ...args: string[]): Promise<string> {
  const path = join(process.cwd(), 'test/e2e/fixtures', script);
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [path, own.directory, ...args], {
    env,
    timeout: 30_000,
  });
  expect(stderr.replace(/.*Warning.*\n?|.*--trace-warnings.*\n?/g, '')).toBe('');
  return stdout;
}

describe("The README's options for nestjs-cls", () => {
  it('take what a request has set to the run of its task, and to nobody else', async () => {
    const [, expression] = /^```js\n(JobsModule\.forRootAsync[\s\S]*?ClsService[\s\S]*?);?\n```/m.exec(
      readme,
    )!;
    const seen = JSON.parse(await said('cls-process.mjs', expression!)) as string[];
    expect(seen.toSorted()).toEqual([
      'after of a request: acme',
      'after of nobody: undefined',
      'of a request: acme',
      'of nobody: undefined',
    ]);
  });
});

describe('An application without @opentelemetry/api', () => {
  it('runs its tasks, and says nothing about it', async () => {
    expect(await said('without-otel.mjs')).toBe('ran');
  });
});
