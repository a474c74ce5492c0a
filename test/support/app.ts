import { setImmediate as turn } from 'node:timers/promises';
import { afterEach } from '@jest/globals';
import type { INestApplicationContext, LoggerService, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { Clock, JobCatalog, JobQueue, JobRunner, JobsModule, type JobsOptions } from 'nestjs-jobs';
import { VirtualClock } from './virtual-clock.js';

/** A line that went through Nest's logger. */
export interface LogLine {
  readonly level: 'log' | 'warn' | 'error' | 'debug' | 'verbose' | 'fatal';
  readonly context: string;
  readonly message: string;
}

export interface TestApp {
  readonly app: INestApplicationContext;
  readonly jobs: JobQueue;
  readonly runner: JobRunner;
  readonly catalog: JobCatalog;
  readonly lines: LogLine[];
  /** Moves the application's and the store's clock, and lets everything due on the way happen. */
  advance(ms: number): Promise<void>;
}

export interface TestAppOptions extends ModuleMetadata {
  /** What `JobsModule.forRoot` gets; false: the test imports the module itself. */
  readonly options?: JobsOptions | false;
  /** Real time instead of a virtual clock. */
  readonly realTime?: boolean;
  /** Whether `init()` is called; else the test does. */
  readonly init?: boolean;
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
}

const open: { app: INestApplicationContext; clock: VirtualClock }[] = [];

afterEach(async () => {
  for (const { app, clock } of open.splice(0)) {
    let isClosed = false;
    const closing = app.close().finally(() => (isClosed = true));
    // A handler that never ends must not keep the test: let the drain limit pass.
    while (!isClosed) await clock.advance(1_000);
    await closing;
  }
});

/** A Nest application with jobs on the embedded backend and a virtual clock; closed after the test, also if it fails. */
export async function startApp({
  options = {},
  realTime = false,
  init = true,
  override = (builder) => builder,
  ...metadata
}: TestAppOptions): Promise<TestApp> {
  const clock = new VirtualClock();
  const lines: LogLine[] = [];
  const root = options === false ? [] : [JobsModule.forRoot(options)];
  let builder = Test.createTestingModule({ ...metadata, imports: [...root, ...(metadata.imports ?? [])] });
  if (!realTime) builder = builder.overrideProvider(Clock).useValue(clock);
  const app = await override(builder).setLogger(collecting(lines)).compile();
  open.push({ app, clock });
  if (init) await app.init();
  return {
    app,
    jobs: app.get(JobQueue),
    runner: app.get(JobRunner),
    catalog: app.get(JobCatalog),
    lines,
    async advance(ms) {
      await settled();
      await clock.advance(ms);
      await settled();
    },
  };
}

/** Waits until what can happen without time passing has happened. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

/** Waits, in real time, until `isTrue`; fails after `withinMs`. */
export async function eventually(isTrue: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const until = Date.now() + withinMs;
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error(`did not become true within ${withinMs} ms: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function collecting(lines: LogLine[]): LoggerService {
  const at =
    (level: LogLine['level']) =>
    (message: unknown, ...rest: unknown[]) =>
      void lines.push({ level, message: String(message), context: String(rest.at(-1) ?? '') });
  return {
    log: at('log'),
    warn: at('warn'),
    error: at('error'),
    debug: at('debug'),
    verbose: at('verbose'),
    fatal: at('fatal'),
  };
}
