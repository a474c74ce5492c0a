import { describe, expect, it } from '@jest/globals';
import { Job, TaskTimeoutError, type RunnerOptions, type Task } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { aborted, endlessSchema, gate, type Gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('a timeout', () => {
  it('aborts the signal, fails the attempt and frees the slot at once, whatever the handler does', async () => {
    const signals: AbortSignal[] = [];
    const goOn = gate();
    let others = 0;
    @Job({ timeout: '5s', retries: 1 })
    class Deaf {
      async run(_: void, task: Task): Promise<void> {
        signals.push(task.signal);
        await goOn.opened;
      }
    }
    @Job()
    class Other {
      run(): void {
        others++;
      }
    }
    const app = await start({ providers: [Deaf, Other], options: { runner: { concurrency: 1 } } });
    const { id } = await app.jobs.enqueue(Deaf);
    await app.jobs.enqueue(Other);
    await app.advance(5 * second - 1);
    expect(signals[0]?.aborted).toBe(false);
    expect([others, app.runner.abandoned]).toEqual([0, 0]);
    await app.advance(1);
    expect(signals[0]?.reason).toBeInstanceOf(TaskTimeoutError);
    expect([others, app.runner.abandoned]).toEqual([1, 1]);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'scheduled',
      failures: 1,
      errors: [{ name: 'TaskTimeoutError', message: expect.stringContaining('5000 ms') }],
    });
    await app.advance(7 * second);
    expect(app.runner.abandoned).toBe(2);
    expect((await app.catalog.task(id))?.state).toBe('dead');
    goOn.open();
    await settled();
    expect(app.runner.abandoned).toBe(0);
    expect((await app.catalog.task(id))?.state).toBe('dead');
  });

  it('is the call’s before the job’s before the module’s', async () => {
    @Job({ retries: 0, timeout: '2s' })
    class Own {
      run(_: void, task: Task): Promise<never> {
        return aborted(task.signal);
      }
    }
    @Job({ retries: 0 })
    class Plain extends Own {}
    const app = await start({ providers: [Own, Plain], options: { defaults: { timeout: '1s' } } });
    await app.jobs.enqueue(Plain, undefined, { id: 'module' });
    await app.jobs.enqueue(Own, undefined, { id: 'job' });
    await app.jobs.enqueue(Own, undefined, { id: 'call', timeout: '3s' });
    const states = () =>
      Promise.all(['module', 'job', 'call'].map(async (id) => (await app.catalog.task(id))?.state));
    await app.advance(999);
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
    await app.advance(1);
    expect(await states()).toEqual(['dead', 'pending', 'pending']);
    await app.advance(1 * second);
    expect(await states()).toEqual(['dead', 'dead', 'pending']);
    await app.advance(1 * second);
    expect(await states()).toEqual(['dead', 'dead', 'dead']);
  });

  it('is not called off by what the handler throws or returns on its abort', async () => {
    @Job({ retries: 0, timeout: '1s', keep: '1h' })
    class Heeding {
      async run(_: void, task: Task): Promise<string> {
        await aborted(task.signal).catch(() => undefined);
        return 'too late';
      }
    }
    const app = await start({ providers: [Heeding] });
    const { id } = await app.jobs.enqueue(Heeding);
    await app.advance(1 * second);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'dead',
      errors: [{ name: 'TaskTimeoutError' }],
    });
    expect(app.runner.abandoned).toBe(0);
  });

  it('keeps a run from beginning that its beforeRun held up', async () => {
    const hook = gate();
    let runs = 0;
    @Job({ retries: 0, timeout: '1s' })
    class Slow {
      beforeRun(): Promise<void> {
        return hook.opened;
      }
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Slow] });
    const { id } = await app.jobs.enqueue(Slow);
    await app.advance(1 * second);
    expect((await app.catalog.task(id))?.state).toBe('dead');
    hook.open();
    await settled();
    expect(runs).toBe(0);
    expect(app.runner.abandoned).toBe(0);
  });

  it('covers params whose check never ends', async () => {
    @Job({ params: endlessSchema(), retries: 0, timeout: '1s' })
    class Checked {
      run(_: string): void {}
    }
    const app = await start({ providers: [Checked] });
    const { id } = await app.jobs.enqueue(Checked, 'p');
    await app.advance(10 * second);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'dead',
      errors: [{ name: 'TaskTimeoutError' }],
    });
  });
});

describe('concurrency', () => {
  class Work {
    readonly running: string[] = [];
    readonly started: string[] = [];
    private readonly gates = new Map<string, Gate>();

    async do(id: string): Promise<void> {
      this.started.push(id);
      this.running.push(id);
      const ending = gate();
      this.gates.set(id, ending);
      await ending.opened;
      this.running.splice(this.running.indexOf(id), 1);
    }

    async end(id: string): Promise<void> {
      this.gates.get(id)!.open();
      await settled();
    }
  }

  async function startWork(runner: RunnerOptions, queues = ['default']) {
    const work = new Work();
    class Base {
      run(_: void, task: Task): Promise<void> {
        return work.do(task.id);
      }
    }
    const jobs = queues.map((queue) => {
      @Job({ queue, name: `in ${queue}` })
      class Working extends Base {}
      return Working;
    });
    const app = await start({ providers: jobs, options: { runner: { ...runner, autoStart: false } } });
    return { ...app, app, work, jobs };
  }

  it('is 10 tasks at once by default', async () => {
    const { app, work, jobs } = await startWork({});
    for (let count = 0; count < 15; count++) await app.jobs.enqueue(jobs[0]!);
    await app.runner.start();
    await settled();
    expect(work.running).toHaveLength(10);
    await work.end(work.running[0]!);
    expect(work.running).toHaveLength(10);
    expect(work.started).toHaveLength(11);
    for (const id of [...work.started]) await work.end(id);
    for (const id of [...work.running]) await work.end(id);
    expect(work.started).toHaveLength(15);
    expect(work.running).toEqual([]);
  });

  it('may be Infinity', async () => {
    const { app, work, jobs } = await startWork({ concurrency: Infinity });
    for (let count = 0; count < 2_500; count++) await app.jobs.enqueue(jobs[0]!);
    await app.runner.start();
    await settled();
    expect(work.running).toHaveLength(2_500);
    for (const id of [...work.started]) void work.end(id);
    await settled();
    expect(work.running).toEqual([]);
  });

  it('holds for a queue of its own, within that of the process', async () => {
    const { app, work, jobs } = await startWork(
      { concurrency: 3, queues: [{ name: 'a', concurrency: 1 }, 'b'] },
      ['a', 'b'],
    );
    for (let count = 0; count < 4; count++) {
      await app.jobs.enqueue(jobs[0]!, undefined, { id: `a${count}` });
      await app.jobs.enqueue(jobs[1]!, undefined, { id: `b${count}` });
    }
    await app.runner.start();
    await settled();
    expect(work.running.toSorted()).toEqual(['a0', 'b0', 'b1']);
    await work.end('b0');
    expect(work.running.toSorted()).toEqual(['a0', 'b1', 'b2']);
    await work.end('a0');
    expect(work.running.filter((id) => id.startsWith('a')).length).toBeLessThanOrEqual(1);
    expect(work.running).toHaveLength(3);
    for (let rounds = 0; rounds < 8; rounds++) for (const id of [...work.running]) await work.end(id);
    expect(work.started).toHaveLength(8);
  });

  it('is not exceeded by a small batch, which only takes more claims', async () => {
    const { app, work, jobs } = await startWork({ concurrency: 5, batch: 2 });
    for (let count = 0; count < 6; count++) await app.jobs.enqueue(jobs[0]!);
    await app.runner.start();
    await settled();
    expect(work.running).toHaveLength(5);
    for (const id of [...work.running]) await work.end(id);
    for (const id of [...work.running]) await work.end(id);
    expect(work.started).toHaveLength(6);
  });

  it('of 1 runs by priority, then due time, then arrival', async () => {
    const { app, work, jobs } = await startWork({ concurrency: 1 });
    const [job] = jobs as [(typeof jobs)[0]];
    await app.jobs.enqueue(job, undefined, { id: 'later', priority: 1 });
    await app.jobs.enqueue(job, undefined, { id: 'usual' });
    await app.jobs.enqueue(job, undefined, { id: 'usual too' });
    await app.jobs.enqueue(job, undefined, { id: 'earlier', in: '-1s' });
    await app.jobs.enqueue(job, undefined, { id: 'past', at: 0 });
    await app.jobs.enqueue(job, undefined, { id: 'urgent', priority: -1000 });
    await app.runner.start();
    await settled();
    for (let count = 0; count < 6; count++) await work.end(work.running[0]!);
    expect(work.started).toEqual(['urgent', 'past', 'earlier', 'usual', 'usual too', 'later']);
  });

  it('of 1 goes round the queues: a long one does not starve a short one', async () => {
    const { app, work, jobs } = await startWork({ concurrency: 1 }, ['long', 'short']);
    for (let count = 0; count < 50; count++) await app.jobs.enqueue(jobs[0]!);
    for (const id of ['s1', 's2']) await app.jobs.enqueue(jobs[1]!, undefined, { id });
    await app.runner.start();
    await settled();
    for (let count = 0; count < 6; count++) await work.end(work.running[0]!);
    expect(work.started).toEqual(expect.arrayContaining(['s1', 's2']));
  });
});
