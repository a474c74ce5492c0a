import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as common from '@nestjs/common';
import * as validator from 'class-validator';
import * as testing from 'nestjs-jobs/testing';
import { publicNames, readme, snippetsOf, sourceOf, type Imports, type Snippet } from '../support/readme.js';

const specs = snippetsOf(readme, 'ts spec');
const named = (names: readonly string[]) => ({ values: new Set(names), types: new Set<string>() });
const imports: Imports = new Map([
  ['class-validator', named(Object.keys(validator))],
  ['@nestjs/common', named(Object.keys(common))],
  ['@nestjs/testing', named(['Test'])],
  ['@jest/globals', named(['expect', 'jest'])],
  ['nestjs-jobs', publicNames()],
  ['nestjs-jobs/testing', named(Object.keys(testing))],
]);

/** What most of them begin with. */
const start = `
import { jest } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { JobQueue } from 'nestjs-jobs';
import { JobsTestingModule, TestJobs, type TestingOptions } from 'nestjs-jobs/testing';
import { AppModule, MailerService } from './first.js';
export const open: { close(): Promise<void> }[] = [];
export async function start(options?: TestingOptions) {
  const app = await Test.createTestingModule({ imports: [AppModule, JobsTestingModule.forRoot(options)] })
    .setLogger({ log() {}, warn() {}, error() {} })
    .compile();
  open.push(app);
  await app.init();
  const send = jest.spyOn(app.get(MailerService), 'send');
  return { jobs: app.get(TestJobs), queue: app.get(JobQueue), send };
}
`;

let folder: string;

beforeAll(async () => {
  delete process.env.JOBS_URL;
  await mkdir('.tmp', { recursive: true });
  folder = await mkdtemp(join(process.cwd(), '.tmp', 'readme-testing-'));
  const first = { ...snippetsOf(readme)[0]!, name: 'first' };
  const write = (name: string, source: string) => writeFile(join(folder, `${name}.ts`), source);
  await write('first', sourceOf(first, [], imports));
  await write('start', start);
  const given = { ...first, name: 'start', exports: ['start'] };
  for (const spec of specs) {
    const source = sourceOf({ ...spec, isModule: true }, [first, given], imports);
    const cases = 'export const cases: [string, () => Promise<void>][] = [];';
    await write(
      spec.name,
      `${cases}\nfunction test(...one: (typeof cases)[number]) { cases.push(one); }\n${source}`,
    );
  }
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ['*.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the tests in the README', () => {
  test('are found, and the shortest has five lines', () => {
    expect(specs.length).toBeGreaterThanOrEqual(5);
    expect(specs[0]!.code.split('\n')).toHaveLength(5);
  });

  test('compile', async () => {
    const compiler = ['node_modules/typescript/bin/tsc', '-p', folder];
    const complaints = await promisify(execFile)(process.execPath, compiler).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
    expect(complaints.split('\n').filter((line) => line.includes('readme-testing'))).toEqual([]);
  }, 60_000);

  test.each(specs)('pass: $name, $heading', async ({ name }: Snippet) => {
    type Cases = { cases: [string, () => Promise<void>][] };
    const load = (file: string) => import(pathToFileURL(join(folder, `${file}.ts`)).href) as Promise<unknown>;
    expect.extend(testing.jobMatchers);
    const { cases } = (await load(name)) as Cases;
    expect(cases).toHaveLength(1);
    for (const [, run] of cases) await run();
    const { open } = (await load('start')) as { open: { close(): Promise<void> }[] };
    for (const app of open.splice(0)) await app.close();
  });
});
