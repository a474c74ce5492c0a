import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { Job, JobsModule, OnTask, type ContextOptions } from 'nestjs-jobs';
import type { TestingMode } from 'nestjs-jobs/testing';
import { startUnderTest, type AppUnderTest } from './fixtures/testing-app.js';

type Act = (stage: AppUnderTest) => Promise<unknown>;

const storage = new AsyncLocalStorage<string>();
const seen: string[] = [];
const see = (where: string) => void seen.push(`${where}: ${storage.getStore() ?? 'nobody'}`);

@Job()
class Look {
  async run() {
    see('run');
    await Promise.resolve();
    see('run, later');
  }

  afterRun() {
    see('afterRun');
  }

  @OnTask('succeeded')
  heard() {
    see('heard');
  }
}

const ways: [string, TestingMode, Act][] = [
  ['manual', 'manual', ({ queue }) => queue.enqueue(Look)],
  ['inline', 'inline', ({ queue }) => queue.enqueue(Look)],
  ['real', 'real', ({ queue }) => queue.enqueue(Look)],
  ['runJob', 'manual', ({ jobs }) => jobs.runJob(Look)],
];

/** What a task sees that a request begins. */
async function seenOf(mode: TestingMode, act: Act, context?: ContextOptions): Promise<string[]> {
  seen.splice(0);
  const stage = await startUnderTest(
    { imports: [JobsModule.forRoot({ context })], providers: [Look] },
    { mode },
  );
  await storage.run('the request', async () => {
    await act(stage);
    // Whoever waits is still where he was.
    expect(storage.getStore()).toBe('the request');
    await stage.jobs.drain();
  });
  return seen;
}

describe('The asynchronous context under test', () => {
  it.each(ways)('is not that of the caller, as in production: %s', async (_, mode, act) => {
    expect(await seenOf(mode, act)).toEqual([
      'run: nobody',
      'run, later: nobody',
      'afterRun: nobody',
      'heard: nobody',
    ]);
  });

  it.each(ways)('is captured and restored as the application says: %s', async (_, mode, act) => {
    const context: ContextOptions = {
      capture: () => storage.getStore(),
      restore: (value, next) => storage.run(`restored, ${String(value)}`, next),
    };
    expect(await seenOf(mode, act, context)).toEqual([
      'run: restored, the request',
      'run, later: restored, the request',
      'afterRun: restored, the request',
      'heard: nobody',
    ]);
  });
});
