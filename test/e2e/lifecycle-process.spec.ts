import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeOwnBuild } from '../support/own-build.js';

const root = process.cwd();
let own: Awaited<ReturnType<typeof makeOwnBuild>>;
let build: string;

beforeAll(async () => {
  own = await makeOwnBuild();
  build = join(own.directory, 'index.js');
}, 120_000);

afterAll(() => own.remove());

/** Starts a worker, sends it SIGTERM once its first task runs, and tells how it ended. */
function terminate(mode: 'usual' | 'exit' | 'deaf' | 'close') {
  return new Promise<{ lines: string[]; code: number | null; signal: string | null }>((resolve, reject) => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn(process.execPath, [join(root, 'test/e2e/fixtures/worker.mjs'), build, mode], { env });
    const limit = setTimeout(() => child.kill('SIGKILL'), 15_000);
    let output = '';
    let isTold = false;
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (isTold || !output.includes('first started')) return;
      isTold = true;
      child.kill('SIGTERM');
    });
    child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      resolve({ lines: output.trim().split('\n'), code, signal });
    });
  });
}

const drained = ['first started', 'first ended', 'disconnected'];

describe('a process that gets SIGTERM', () => {
  it('drains, lets its providers disconnect after that, and exits with 0', async () => {
    expect(await terminate('exit')).toEqual({ lines: [...drained, 'exit'], code: 0, signal: null });
  }, 30_000);

  it('drains before Nest repeats the signal', async () => {
    expect(await terminate('usual')).toEqual({ lines: drained, code: null, signal: 'SIGTERM' });
  }, 30_000);

  it('ends by itself when the application is closed: nothing is left open', async () => {
    expect(await terminate('close')).toEqual({ lines: [...drained, 'exit'], code: 0, signal: null });
  }, 30_000);

  it('is not kept by a handler that hears nothing', async () => {
    expect(await terminate('deaf')).toEqual({
      lines: ['first started', 'first aborted by SHUTDOWN', 'disconnected', 'exit'],
      code: 0,
      signal: null,
    });
  }, 30_000);
});
