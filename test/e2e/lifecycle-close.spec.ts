import { describe, expect, it } from '@jest/globals';
import {
  Global,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Job, JobQueue, JobRunner, ShutdownError, type Task } from 'nestjs-jobs';
import { eventually, settled } from '../support/app.js';
import { aborted, endlessSchema, gate } from './fixtures/gate.js';
import { start, type Started } from './fixtures/start.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;

describe('closing', () => {
  /** Closes without waiting, and says when it is through. */
  function close({ app }: Started): { readonly isOver: boolean; readonly done: Promise<void> } {
    const closing = { isOver: false, done: app.close().then(() => void (closing.isOver = true)) };
    return closing;
  }

  it('claims nothing more; what runs may still enqueue, and is awaited', async () => {
    const end = gate();
    const ran: string[] = [];
    @Job()
    class Next {
      run(): void {
        ran.push('next');
      }
    }
    @Job({ keep: '1h' })
    class Long {
      constructor(private readonly jobs: JobQueue) {}
      async run(): Promise<void> {
        ran.push('long');
        await end.opened;
        await this.jobs.enqueue(Next, undefined, { id: 'next' });
      }
    }
    const app = await start({ providers: [Next, Long] });
    await app.jobs.enqueue(Long, undefined, { id: 'long' });
    await app.advance(0);
    const closing = close(app);
    await app.jobs.enqueue(Long, undefined, { id: 'late' });
    await app.advance(29 * second);
    expect(closing.isOver).toBe(false);
    expect(ran).toEqual(['long']);
    end.open();
    await closing.done;
    const state = async (id: string) => (await app.store.catalog.get({ queue: 'default', id }))?.state;
    expect(await Promise.all(['long', 'late', 'next'].map(state))).toEqual([
      'succeeded',
      'waiting',
      'waiting',
    ]);
    await app.advance(60 * second);
    expect(ran).toEqual(['long']);
  });

  it('renews leases meanwhile: another runner does not get the task', async () => {
    const end = gate();
    let runs = 0;
    @Job({ keep: '1h' })
    class Long {
      run(): Promise<void> {
        runs++;
        return end.opened;
      }
    }
    const options = { runner: { lease: '2s', shutdownTimeout: '5m' } };
    const app = await start({ providers: [Long], options });
    const { id } = await app.jobs.enqueue(Long);
    await app.advance(0);
    const other = await start({ providers: [Long], beside: app, options });
    const closing = close(app);
    await other.advance(0);
    await app.advance(60 * second);
    expect(runs).toBe(1);
    end.open();
    await closing.done;
    expect(await other.catalog.task(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });

  it('aborts signals at shutdownTimeout, and hands back a second later without costing an attempt', async () => {
    const reasons: unknown[] = [];
    @Job()
    class Deaf {
      run(_: void, task: Task): Promise<void> {
        task.signal.addEventListener('abort', () => reasons.push(task.signal.reason));
        return new Promise(() => undefined);
      }
    }
    const app = await start({ providers: [Deaf], options: { runner: { shutdownTimeout: '10s' } } });
    const { id } = await app.jobs.enqueue(Deaf);
    await app.advance(0);
    const closing = close(app);
    await app.advance(10 * second - 1);
    expect(reasons).toEqual([]);
    await app.advance(1);
    expect(reasons).toEqual([expect.any(ShutdownError)]);
    await app.advance(999);
    expect(closing.isOver).toBe(false);
    expect((await app.catalog.task(id))?.state).toBe('pending');
    await app.advance(1);
    await closing.done;
    expect(await app.store.catalog.get({ queue: 'default', id })).toMatchObject({
      state: 'waiting',
      attempt: 0,
      failures: 0,
      errors: [],
    });
    expect(app.runner.abandoned).toBe(1);
  });

  it('lets success count in that second, and takes any throw for a hand-back', async () => {
    const ended: [string, boolean][] = [];
    @Job({ keep: '1h', retries: 0 })
    class Heeding {
      async run(succeeds: boolean, task: Task<boolean>): Promise<string> {
        await aborted(task.signal).catch((error) => {
          if (!succeeds) throw error;
        });
        await new Promise<void>((resolve) => app.clock.after(500, resolve));
        return 'in time';
      }
      afterRun(success: boolean, task: Task<boolean>): void {
        ended.push([task.id, success]);
      }
    }
    const app = await start({ providers: [Heeding], options: { runner: { shutdownTimeout: '1s' } } });
    await app.jobs.enqueue(Heeding, true, { id: 'good' });
    await app.jobs.enqueue(Heeding, false, { id: 'bad' });
    await app.advance(0);
    const closing = close(app);
    await app.advance(1_500);
    await closing.done;
    const record = (id: string) => app.store.catalog.get({ queue: 'default', id });
    expect(await record('good')).toMatchObject({ state: 'succeeded', result: '"in time"' });
    expect(await record('bad')).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, errors: [] });
    expect(ended).toEqual([['good', true]]);
  });

  it('hands back what has not begun to run, and never begins it', async () => {
    const hook = gate();
    let runs = 0;
    @Job()
    class Slow {
      beforeRun(): Promise<void> {
        return hook.opened;
      }
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Slow], options: { runner: { shutdownTimeout: 0 } } });
    const { id } = await app.jobs.enqueue(Slow);
    await app.advance(0);
    const closing = close(app);
    await app.advance(1 * second);
    await closing.done;
    hook.open();
    await settled();
    expect(runs).toBe(0);
    expect(await app.store.catalog.get({ queue: 'default', id })).toMatchObject({
      state: 'waiting',
      attempt: 0,
    });
  });

  it('hands back what is still reading its params', async () => {
    @Job({ params: endlessSchema() })
    class Checked {
      run(_: string): void {}
    }
    const app = await start({ providers: [Checked], options: { runner: { shutdownTimeout: 0 } } });
    const { id } = await app.jobs.enqueue(Checked, 'p');
    await app.advance(0);
    const closing = close(app);
    await app.advance(1 * second);
    expect(closing.isOver).toBe(true);
    expect(await app.store.catalog.get({ queue: 'default', id })).toMatchObject({
      state: 'waiting',
      attempt: 0,
    });
  });

  it('hands back what a claim brings that was under way, and does not run it', async () => {
    const answer = gate();
    const troubled = new TroubledStore();
    let runs = 0;
    @Job()
    class Usual {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Usual], before: troubled.before });
    await app.advance(0);
    troubled.trouble.claim = async (go) => {
      const claim = await go();
      await answer.opened;
      return claim;
    };
    const { id } = await app.jobs.enqueue(Usual);
    await app.advance(0);
    expect((await app.catalog.task(id))?.state).toBe('pending');
    const closing = close(app);
    await app.advance(1 * second);
    answer.open();
    await app.advance(1 * second);
    await closing.done;
    expect(runs).toBe(0);
    expect(await app.store.catalog.get({ queue: 'default', id })).toMatchObject({
      state: 'waiting',
      attempt: 0,
    });
  });

  it('drains before any provider is destroyed: those that disconnect still serve', async () => {
    const events: string[] = [];
    const end = gate();
    class Connection implements OnModuleDestroy, OnApplicationShutdown {
      private isConnected = true;
      use(): void {
        events.push(`${this.constructor.name} ${this.isConnected ? 'serves' : 'is gone'}`);
      }
      onModuleDestroy(): void {
        this.isConnected = false;
      }
      onApplicationShutdown(): void {
        events.push('shut down');
      }
    }
    @Injectable()
    class InRoot extends Connection {}
    @Injectable()
    class InNested extends Connection {}
    @Injectable()
    class InGlobal extends Connection {}
    @Module({ providers: [InNested], exports: [InNested] })
    class Nested {}
    @Module({ imports: [Nested], exports: [Nested] })
    class Between {}
    @Global()
    @Module({ providers: [InGlobal], exports: [InGlobal] })
    class Everywhere {}
    @Job()
    class Using {
      constructor(
        private readonly root: InRoot,
        private readonly nested: InNested,
        private readonly global: InGlobal,
      ) {}
      async run(): Promise<void> {
        await end.opened;
        for (const connection of [this.root, this.nested, this.global]) connection.use();
      }
    }
    const app = await start({ imports: [Between, Everywhere], providers: [InRoot, Using] });
    await app.jobs.enqueue(Using);
    await app.advance(0);
    const closing = close(app);
    await app.advance(20 * second);
    end.open();
    await closing.done;
    expect(events.slice(0, 3)).toEqual(['InRoot serves', 'InNested serves', 'InGlobal serves']);
    expect(events.slice(3)).toEqual(['shut down', 'shut down', 'shut down']);
  });

  it('twice is once', async () => {
    let closes = 0;
    @Job()
    class Usual {
      run(): void {}
    }
    const app = await start({
      providers: [Usual],
      before: (store) => ({
        ...store,
        async close() {
          closes++;
        },
      }),
    });
    await app.app.close();
    await app.app.close();
    expect(closes).toBe(1);
    await expect(app.jobs.enqueue(Usual)).rejects.toMatchObject({ code: 'QUEUE_CLOSED' });
  });

  it('after an init that failed closes what was opened, and nothing else', async () => {
    const calls: string[] = [];
    @Injectable()
    class Broken implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        throw new Error('cannot start');
      }
    }
    const before = (opens: boolean): Parameters<typeof start>[0] => ({
      init: false,
      providers: [Broken],
      before: (store) => ({
        ...store,
        async open(settings) {
          if (!opens) throw new Error('no store');
          await store.open(settings);
          calls.push('open');
        },
        async close() {
          calls.push('close');
        },
      }),
    });
    const late = await start(before(true));
    await expect(late.app.init()).rejects.toThrow('cannot start');
    expect(late.app.get(JobRunner).isRunning).toBe(false);
    await late.app.close();
    expect(calls).toEqual(['open', 'close']);
    const early = await start(before(false));
    await expect(early.app.init()).rejects.toThrow('no store');
    await early.app.close();
    expect(calls).toEqual(['open', 'close']);
  });

  it('leaves nothing open', async () => {
    const before = process.getActiveResourcesInfo();
    const opened = () => beyond(process.getActiveResourcesInfo(), before);
    const end = gate();
    let runs = 0;
    @Job({ retries: 1, backoff: '1h', timeout: '1h' })
    class Busy {
      async run(what: string, task: Task<string>): Promise<void> {
        runs++;
        if (what === 'fail') throw new Error('no');
        if (what === 'snooze') task.snooze('1h');
        if (what === 'hang') await aborted(task.signal);
        await end.opened;
      }
    }
    const app = await start({
      providers: [Busy],
      realTime: true,
      options: { runner: { shutdownTimeout: 50 } },
    });
    await app.jobs.enqueue(Busy, 'later', { in: '1h' });
    for (const what of ['fail', 'snooze', 'hang', 'wait']) await app.jobs.enqueue(Busy, what);
    await eventually(() => runs === 4);
    end.open();
    expect(opened()).toContain('Timeout');
    await app.app.close();
    await eventually(() => opened().length === 0);
  });
});

/** What a list holds more than another, counting repetitions. */
function beyond(list: readonly string[], other: readonly string[]): string[] {
  const rest = [...other];
  return list.filter((entry) => {
    const at = rest.indexOf(entry);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
