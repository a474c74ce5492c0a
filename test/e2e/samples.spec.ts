import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from 'nestjs-jobs';
import { AppModule } from '../../sample/01-quick-start/app.module.js';
import { hints } from '../../sample/01-quick-start/hints.js';
import { eventually } from '../support/app.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('sample 01, quick start', () => {
  let app: INestApplication | undefined;
  const clock = new VirtualClock();
  const lines: string[] = [];
  const says = (line: string) => eventually(() => lines.some((said) => said.includes(line)));

  afterEach(async () => {
    await app?.close();
  });

  async function start(): Promise<number> {
    const testing = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(Clock)
      .useValue(clock)
      .compile();
    app = testing.createNestApplication();
    const write = (message: unknown, ...rest: unknown[]) =>
      void lines.push(`[${String(rest.at(-1))}] ${String(message)}`);
    app.useLogger({ log: write, warn: write, error: write });
    await app.listen(0);
    return ((app.getHttpServer() as ReturnType<typeof createServer>).address() as AddressInfo).port;
  }

  test('does what its hints promise, and leaves nothing open', async () => {
    const openBefore = openResources();
    const [createUser, sync, wrong, store] = curlsOf(hints(await start()));

    const created = await send(createUser!);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject([{ status: 'enqueued' }, { status: 'enqueued' }]);
    await says('[SendWelcome] welcomed ada@example.com');
    await clock.advance(4_999);
    expect(lines).not.toContainEqual(expect.stringContaining('[AskForFeedback]'));
    await clock.advance(1);
    await says('[AskForFeedback] asked ada@example.com for feedback, ');

    expect((await send(sync!)).body).toMatchObject({ status: 'enqueued' });
    await says('(attempt 1 of 3): Error: the address book does not answer; it runs again in 1 s');
    await clock.advance(1_000);
    await says('(attempt 2 of 3): Error: the address book does not answer; it runs again in 3 s');
    await clock.advance(3_000);
    await says('[SyncContact] synced ada@example.com at attempt 3');

    const refused = await send(wrong!);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ message: [{ path: 'to', message: 'to must be an email' }] });

    await eventually(async () => ((await send(store!)).body as { pending: number }).pending === 0);
    expect((await send(store!)).body).toMatchObject({ scheduled: 1, waiting: 0, dead: 0, parked: 0 });

    await clock.advance(1_000);
    await says('[Heartbeat] beat 1');
    await clock.advance(10_000);
    await says('[Heartbeat] beat 2');

    await app!.close();
    app = undefined;
    await eventually(() => openResources() <= openBefore);
  });
});

describe('sample 01 as a process', () => {
  let folder: string;
  const started: ChildProcess[] = [];

  // Compiled apart from `dist`, which other tests may be reading; the package.json makes `nestjs-jobs` mean this copy.
  beforeAll(async () => {
    await mkdir('.tmp', { recursive: true });
    folder = await mkdtemp(join(process.cwd(), '.tmp', 'sample-'));
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions: { noEmit: false, declaration: false, rootDir: '../..', outDir: 'out' },
      include: ['../../lib', '../../sample'],
      exclude: ['../../sample/**/*.spec.ts'],
    };
    await mkdir(join(folder, 'out'));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await writeFile(
      join(folder, 'out', 'package.json'),
      JSON.stringify({ name: 'nestjs-jobs', type: 'module', exports: './lib/index.js' }),
    );
    await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]);
  }, 60_000);

  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  function run(port: number) {
    const child = spawn(process.execPath, [join(folder, 'out/sample/01-quick-start/main.js')], {
      env: { ...process.env, PORT: String(port), NODE_OPTIONS: '', NO_COLOR: '1' },
    });
    started.push(child);
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.on('close', (code, signal) => resolve({ code, signal })),
    );
    return { child, ended, output: () => output };
  }

  test('shows its jobs unasked and ends on Ctrl-C', async () => {
    const port = await withServer(async (taken) => taken);
    const { child, ended, output } = run(port);
    await eventually(() => output().includes('[SendWelcome] welcomed grace@example.com'), 15_000);
    expect(output()).toContain(hints(port));
    expect(output()).toContain('it runs again in 1 s');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(output()).not.toContain('ERROR');
  }, 20_000);

  test('says clearly that its port is taken', async () => {
    await withServer(async (taken) => {
      const { ended, output } = run(taken);
      expect(await ended).toEqual({ code: 1, signal: null });
      expect(output()).toContain(`Port ${taken} is taken by another program`);
    });
  }, 20_000);
});

interface Curl {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
}

/** The requests that a text tells to make by curl. */
function curlsOf(text: string): Curl[] {
  return text
    .split('\n')
    .filter((line) => line.includes(' curl '))
    .map((line) => ({
      method: /-X (\w+)/.exec(line)?.[1] ?? 'GET',
      url: /http:\S+/.exec(line)![0],
      body: /-d '(.*)'/.exec(line)?.[1],
    }));
}

async function send({ method, url, body }: Curl): Promise<{ status: number; body: unknown }> {
  // A connection that fetch keeps for later would look like one that the sample left open.
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const response = await fetch(url, { method, headers, body });
  return { status: response.status, body: await response.json() };
}

/** A server on a free port, for as long as `use` takes. */
async function withServer<T>(use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function openResources(): number {
  return process.getActiveResourcesInfo().filter((kind) => /Timeout|TCP|Immediate/.test(kind)).length;
}
