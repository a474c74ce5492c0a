import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A sample that runs as a process of its own. */
export interface SampleProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  /** What it has written so far. */
  output(): string;
}

/** The samples, compiled for processes that a test starts; `remove` also ends those that still run. */
export interface SampleBuild {
  start(program: string, env: NodeJS.ProcessEnv): SampleProcess;
  remove(): Promise<void>;
}

/** Compiled apart from `dist`, which other tests may be reading; the package.json makes `nestjs-jobs` mean this copy. */
export async function buildSamples(): Promise<SampleBuild> {
  await mkdir('.tmp', { recursive: true });
  const folder = await mkdtemp(join(process.cwd(), '.tmp', 'sample-'));
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
    JSON.stringify({
      name: 'nestjs-jobs',
      type: 'module',
      exports: {
        '.': './lib/index.js',
        './postgres': './lib/backend/postgres/index.js',
        './testing': './lib/testing/index.js',
        './dashboard': './lib/dashboard/index.js',
      },
    }),
  );
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]);

  const started: SampleProcess[] = [];
  return {
    start(program, env) {
      const sample = startProcess(join(folder, 'out/sample', program), env);
      started.push(sample);
      return sample;
    },
    async remove() {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startProcess(file: string, env: NodeJS.ProcessEnv): SampleProcess {
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, ended, output: () => output };
}
