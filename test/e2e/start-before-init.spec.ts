import { describe, expect, it } from '@jest/globals';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Job } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const minute = 60_000;

/** An application that is made but has not begun, and takes its time to begin. */
async function startMade(autoStart: boolean) {
  const ready = gate();
  const events: string[] = [];
  @Injectable()
  class Slow implements OnApplicationBootstrap {
    async onApplicationBootstrap(): Promise<void> {
      await ready.opened;
      events.push('ready');
    }
  }
  @Job({ name: 'Usual' })
  class Usual {
    run(): void {
      events.push('ran');
    }
  }
  const app = await start({ providers: [Slow, Usual], init: false, options: { runner: { autoStart } } });
  return { ...app, ready, events, Usual };
}

describe('JobRunner.start() before init()', () => {
  it.each([false, true])(
    'runs tasks once the application has bootstrapped, with autoStart: %s',
    async (autoStart) => {
      const { app, runner, jobs, advance, ready, events, Usual } = await startMade(autoStart);
      await runner.start();
      expect(runner.isRunning).toBe(false);
      const beginning = app.init();
      await settled();
      await jobs.enqueue(Usual);
      await advance(minute);
      expect([events, runner.isRunning]).toEqual([[], false]);
      ready.open();
      await beginning;
      await settled();
      expect([events, runner.isRunning]).toEqual([['ready', 'ran'], true]);
      await jobs.enqueue(Usual);
      await settled();
      expect(events).toEqual(['ready', 'ran', 'ran']);
    },
  );

  it('is called off by a stop() before init()', async () => {
    const { app, runner, jobs, advance, ready, events, Usual } = await startMade(false);
    await runner.start();
    await runner.stop();
    ready.open();
    await app.init();
    await jobs.enqueue(Usual);
    await advance(minute);
    expect([events, runner.isRunning]).toEqual([['ready'], false]);
  });

  it('does not outlast a close before init()', async () => {
    const { app, runner, advance } = await startMade(false);
    await runner.start();
    await app.close();
    await advance(minute);
    expect(runner.isRunning).toBe(false);
  });
});
