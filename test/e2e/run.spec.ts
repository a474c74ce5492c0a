import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Job, Task } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('a job', () => {
  it('gets its dependencies by its constructor, also from other modules', async () => {
    const sent: string[] = [];
    @Injectable()
    class Mailer {
      send(to: string): void {
        sent.push(to);
      }
    }
    @Job()
    class SendMail {
      constructor(private readonly mailer: Mailer) {}
      run(to: string): void {
        this.mailer.send(to);
      }
    }
    @Module({ providers: [Mailer, SendMail] })
    class MailModule {}
    const app = await start({ imports: [MailModule] });
    await app.jobs.enqueue(SendMail, 'ada');
    await app.advance(0);
    expect(sent).toEqual(['ada']);
  });

  it('is one instance for all tasks, with transient dependencies of its own', async () => {
    let made = 0;
    const seen: unknown[] = [];
    @Injectable({ scope: Scope.TRANSIENT })
    class Helper {
      readonly number = ++made;
    }
    class Base {
      constructor(@Inject(Helper) readonly helper: Helper) {}
      run(): void {
        seen.push(this, this.helper.number);
      }
    }
    @Job()
    class First extends Base {}
    @Job()
    class Second extends Base {}
    const app = await start({ providers: [Helper, First, Second] });
    for (const job of [First, First, Second]) {
      await app.jobs.enqueue(job);
      await app.advance(0);
    }
    const [first, one, again, alsoOne, other, two] = seen;
    expect(again).toBe(first);
    expect(alsoOne).toBe(one);
    expect(other).not.toBe(first);
    expect(two).not.toBe(one);
    expect(made).toBe(2);
  });

  it('of transient scope is made whole', async () => {
    const seen: string[] = [];
    @Injectable()
    class Mailer {
      readonly name = 'mailer';
    }
    @Job({ scope: Scope.TRANSIENT })
    class SendMail {
      constructor(private readonly mailer: Mailer) {}
      run(): void {
        seen.push(this.mailer.name);
      }
    }
    const app = await start({ providers: [Mailer, SendMail] });
    await app.jobs.enqueue(SendMail);
    await app.advance(0);
    expect(seen).toEqual(['mailer']);
  });

  it('of request scope is made per task, with the task as REQUEST throughout', async () => {
    const seen: { task: Task; own: unknown; helpers: unknown; instance: unknown }[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Helper {
      constructor(@Inject(REQUEST) readonly request: unknown) {}
    }
    @Job({ scope: Scope.REQUEST })
    class PerTask {
      constructor(
        @Inject(REQUEST) private readonly request: unknown,
        private readonly helper: Helper,
      ) {}
      run(_: number, task: Task<number>): void {
        seen.push({ task, own: this.request, helpers: this.helper.request, instance: this });
      }
    }
    const app = await start({ providers: [Helper, PerTask] });
    await app.jobs.enqueue(PerTask, 1, { id: 'one' });
    await app.jobs.enqueue(PerTask, 2, { id: 'two' });
    await app.advance(0);
    expect(seen.map(({ task }) => task.id)).toEqual(['one', 'two']);
    for (const { task, own, helpers } of seen) {
      expect(task).toBeInstanceOf(Task);
      expect(own).toBe(task);
      expect(helpers).toBe(task);
    }
    expect(seen[0]!.instance).not.toBe(seen[1]!.instance);
  });

  it('is made per task where only a dependency of a dependency is request-scoped', async () => {
    const ids: string[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Deep {
      constructor(@Inject(REQUEST) readonly task: Task) {}
    }
    @Injectable()
    class Middle {
      constructor(readonly deep: Deep) {}
    }
    @Job()
    class Usual {
      constructor(private readonly middle: Middle) {}
      run(): void {
        ids.push(this.middle.deep.task.id);
      }
    }
    const app = await start({ providers: [Deep, Middle, Usual] });
    for (const id of ['a', 'b']) await app.jobs.enqueue(Usual, undefined, { id });
    await app.advance(0);
    expect(ids).toEqual(['a', 'b']);
  });

  it('whose dependency cannot be made fails the attempt, and runs when it can', async () => {
    let isBroken = true;
    let runs = 0;
    @Job({ scope: Scope.REQUEST })
    class Needy {
      constructor(@Inject('RESOURCE') readonly resource: string) {}
      run(): void {
        runs++;
      }
    }
    const resource = {
      provide: 'RESOURCE',
      scope: Scope.REQUEST,
      useFactory: () => {
        if (isBroken) throw new Error('no resource');
        return 'resource';
      },
    };
    const app = await start({ providers: [resource, Needy] });
    const { id } = await app.jobs.enqueue(Needy);
    await app.advance(0);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'scheduled',
      failures: 1,
      errors: [{ message: 'no resource' }],
    });
    isBroken = false;
    await app.advance(2 * second);
    expect(runs).toBe(1);
  });
});

describe('a task', () => {
  it('tells the handler what it is', async () => {
    const seen: Task<{ a: number }>[] = [];
    @Job({ name: 'the-name', queue: 'mail' })
    class Looking {
      run(_: { a: number }, task: Task<{ a: number }>): void {
        seen.push(task);
        if (task.attempt === 1) throw new Error('again');
      }
    }
    const app = await start({ providers: [Looking] });
    const enqueuedAt = new Date(app.now());
    await app.jobs.enqueue(Looking, { a: 1 }, { id: 'x', priority: -7, in: '5s' });
    await app.advance(10 * second);
    const [first, again] = seen as [Task, Task];
    const constant = { id: 'x', job: 'the-name', queue: 'mail', params: { a: 1 }, priority: -7, enqueuedAt };
    const dueAt = new Date(enqueuedAt.getTime() + 5 * second);
    expect(first).toMatchObject({ ...constant, attempt: 1, failures: 0, dueAt });
    const retriedAt = new Date(dueAt.getTime() + 2 * second);
    expect(again).toMatchObject({ ...constant, attempt: 2, failures: 1, dueAt: retriedAt });
    expect(again.signal).toBeInstanceOf(AbortSignal);
    expect(again.signal.aborted).toBe(false);
    expect([again.scheduleId, again.slot]).toEqual([undefined, undefined]);
  });

  it('keeps its result readable in the catalog for as long as `keep` says', async () => {
    @Job()
    class Adding {
      run({ a, b }: { a: number; b: number }) {
        return { sum: a + b };
      }
    }
    const app = await start({ providers: [Adding] });
    const { id } = await app.jobs.enqueue(Adding, { a: 1, b: 2 }, { keep: '1h' });
    const { id: unkept } = await app.jobs.enqueue(Adding, { a: 1, b: 2 });
    await app.advance(0);
    expect(await app.catalog.task(unkept)).toBeUndefined();
    const record = await app.catalog.task(id);
    expect(record?.state).toBe('succeeded');
    expect(record!.result).toEqual({ sum: 3 });
    await app.advance(3_600 * second - 1);
    expect(await app.catalog.task(id)).toBeDefined();
    await app.advance(1);
    expect(await app.catalog.task(id)).toBeUndefined();
  });

  it('succeeds although its result is no JSON', async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const results = [cycle, 1n, undefined, () => 1, { toJSON: () => undefined }, 'x'.repeat(2_000_000)];
    @Job({ keep: '1h', retries: 0 })
    class Odd {
      run(which: number): unknown {
        return results[which];
      }
    }
    const app = await start({ providers: [Odd] });
    for (const which of results.keys()) await app.jobs.enqueue(Odd, which, { id: `r${which}` });
    await app.advance(0);
    for (const which of results.keys())
      expect(await app.catalog.task(`r${which}`)).toMatchObject({ state: 'succeeded', result: undefined });
  });
});
