import { describe, expect, it } from '@jest/globals';
import { Global, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Job, type Task } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('starting', () => {
  it('waits for the whole application: slow providers of the root and of other modules are ready first', async () => {
    const events: string[] = [];
    const ready = gate();
    class Slow implements OnApplicationBootstrap {
      async onApplicationBootstrap(): Promise<void> {
        await ready.opened;
        events.push(`${this.constructor.name} ready`);
      }
    }
    @Injectable()
    class InRoot extends Slow {}
    @Injectable()
    class InNested extends Slow {}
    @Injectable()
    class InGlobal extends Slow {}
    @Job()
    class Early {
      run(): void {
        events.push('ran');
      }
    }
    @Module({ providers: [InNested] })
    class Nested {}
    @Module({ imports: [Nested] })
    class Between {}
    @Global()
    @Module({ providers: [InGlobal] })
    class Everywhere {}
    const app = await start({ imports: [Between, Everywhere], providers: [InRoot, Early], init: false });
    const starting = app.app.init();
    await settled();
    await app.jobs.enqueue(Early);
    await app.advance(60 * second);
    expect(events).toEqual([]);
    expect(app.runner.isRunning).toBe(false);
    ready.open();
    await starting;
    await settled();
    expect(events.slice(0, 3).toSorted()).toEqual(['InGlobal ready', 'InNested ready', 'InRoot ready']);
    expect(events.slice(3)).toEqual(['ran']);
  });

  it('is left to start() with autoStart: false, and can be repeated after stop()', async () => {
    let runs = 0;
    @Job()
    class Counting {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Counting], options: { runner: { autoStart: false } } });
    await app.jobs.enqueue(Counting);
    await app.advance(60 * second);
    expect([runs, app.runner.isRunning]).toEqual([0, false]);
    await app.runner.start();
    await settled();
    expect([runs, app.runner.isRunning]).toEqual([1, true]);
    await app.runner.stop();
    await app.jobs.enqueue(Counting);
    await app.jobs.enqueue(Counting, undefined, { in: '10s' });
    await app.advance(60 * second);
    expect([runs, app.runner.isRunning]).toEqual([1, false]);
    await app.runner.start();
    await settled();
    expect(runs).toBe(3);
  });

  it('twice runs nothing twice, and stopping twice waits once', async () => {
    const end = gate();
    let runs = 0;
    @Job()
    class Long {
      run(): Promise<void> {
        runs++;
        return end.opened;
      }
    }
    const app = await start({ providers: [Long], options: { runner: { autoStart: false, concurrency: 1 } } });
    await Promise.all([app.runner.start(), app.runner.start()]);
    await app.runner.start();
    for (let count = 0; count < 3; count++) await app.jobs.enqueue(Long);
    await app.advance(0);
    expect(runs).toBe(1);
    const stops = Promise.all([app.runner.stop(), app.runner.stop()]);
    end.open();
    await stops;
    await app.runner.stop();
    expect([runs, app.runner.isRunning]).toEqual([1, false]);
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: 2, pending: 0 });
  });

  it('waits for a stop that is under way; a later stop has the last word', async () => {
    const end = gate();
    let runs = 0;
    @Job()
    class Long {
      run(): Promise<void> {
        runs++;
        return end.opened;
      }
    }
    const app = await start({ providers: [Long] });
    await app.jobs.enqueue(Long);
    await app.advance(0);
    const calls = [app.runner.stop(), app.runner.start(), app.runner.stop()];
    end.open();
    await Promise.all(calls);
    await app.jobs.enqueue(Long);
    await app.advance(60 * second);
    expect([runs, app.runner.isRunning]).toEqual([1, false]);
  });

  it('does not outlast a stop that was asked for in the same moment', async () => {
    let runs = 0;
    @Job()
    class Usual {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Usual], options: { runner: { autoStart: false } } });
    await Promise.all([app.runner.start(), app.runner.stop()]);
    await app.jobs.enqueue(Usual);
    await app.advance(60 * second);
    expect([runs, app.runner.isRunning]).toEqual([0, false]);
  });

  it('that is stopped while it waits for the store leaves no listener behind', async () => {
    const hearing = gate();
    let listeners = 0;
    @Job()
    class Usual {
      run(): void {}
    }
    const app = await start({
      providers: [Usual],
      options: { runner: { autoStart: false } },
      before: (store) => ({
        ...store,
        bell: {
          lossless: true,
          ring: (queue, id) => store.bell.ring(queue, id),
          listenToSchedules: (queues, wake) => store.bell.listenToSchedules(queues, wake),
          async listen(queues, wake) {
            await hearing.opened;
            const stop = await store.bell.listen(queues, wake);
            listeners++;
            return () => {
              listeners--;
              stop();
            };
          },
        },
      }),
    });
    const starting = app.runner.start();
    await settled();
    const stopping = app.runner.stop();
    await settled();
    hearing.open();
    await Promise.all([starting, stopping]);
    await settled();
    expect(app.runner.isRunning).toBe(false);
    expect(listeners).toBe(0);
  });

  it('after the application has closed does nothing', async () => {
    let runs = 0;
    @Job()
    class Usual {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Usual], options: { runner: { autoStart: false } } });
    await app.jobs.enqueue(Usual);
    await app.app.close();
    await app.runner.start().catch(() => undefined);
    await app.advance(60 * second);
    expect([runs, app.runner.isRunning]).toEqual([0, false]);
  });

  it('does not happen with runner: false, which only enqueues', async () => {
    let runs = 0;
    @Job()
    class Usual {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Usual], options: { runner: false } });
    await app.runner.start();
    await app.jobs.enqueue(Usual);
    await app.advance(60 * second);
    expect([runs, app.runner.isRunning]).toEqual([0, false]);
    await start({ providers: [Usual], beside: app });
    await app.advance(0);
    expect(runs).toBe(1);
  });

  it('is for the named queues only', async () => {
    const ran: string[] = [];
    class Base {
      run(_: void, task: Task): void {
        ran.push(task.queue);
      }
    }
    @Job({ queue: 'a' })
    class A extends Base {}
    @Job({ queue: 'b' })
    class B extends Base {}
    const app = await start({ providers: [A, B], options: { runner: { queues: ['b'] } } });
    await app.jobs.enqueue(A);
    await app.jobs.enqueue(B);
    await app.advance(60 * second);
    expect(ran).toEqual(['b']);
    expect((await app.catalog.tasks({ queue: 'a', state: 'waiting' })).tasks).toHaveLength(1);
  });
});
