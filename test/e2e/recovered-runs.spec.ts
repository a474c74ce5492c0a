import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Job, JobsMetrics, JobsMetricsModule, OnTask, type JobEvent } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const leaseMs = 20_000;

@Job({ name: 'Deadly', queue: 'deadly', retries: 1 })
class Deadly {
  run(): void {}
}

/** An application whose runner stands still, while another takes all tasks and is killed. */
async function startBesideKilled() {
  const heard: JobEvent[] = [];
  @Injectable()
  class Ear {
    @OnTask('lost', 'dead', 'failed', 'cancelled', 'succeeded')
    hear(event: JobEvent): void {
      heard.push(event);
    }
  }
  const app = await start({
    imports: [JobsMetricsModule.forRoot({ path: false })],
    providers: [Deadly, Ear],
    options: { runner: { autoStart: false } },
  });
  const takeAndDie = async () => {
    const queues = [{ queue: 'deadly', limit: 9 }];
    const { tasks } = await app.store.tasks.claim({ queues, limit: 9, leaseMs, runner: 'killed' });
    await app.advance(leaseMs);
    return tasks.map(({ id }) => id);
  };
  const metrics = () => app.app.get(JobsMetrics, { strict: false }).text();
  return { ...app, heard, takeAndDie, metrics };
}

describe('a task whose process died', () => {
  it('is told of by the runner that takes it over: that its run was lost, by event, line and count', async () => {
    const { jobs, runner, advance, takeAndDie, heard, lines, metrics } = await startBesideKilled();
    const { id } = await jobs.enqueue(Deadly);
    expect(await takeAndDie()).toEqual([id]);
    await runner.start();
    await advance(0);
    expect(heard).toMatchObject([
      { type: 'lost', queue: 'deadly', id, job: 'Deadly', attempt: 1, waitMs: 0, runMs: leaseMs },
      { type: 'succeeded', id, attempt: 2 },
    ]);
    const message = `task ${id}: runner killed did not settle attempt 1 before its lease ended; it runs again`;
    expect(lines).toContainEqual({ level: 'warn', context: 'Deadly', message });
    expect(await metrics()).toContain(
      'nestjs_jobs_task_outcomes_total{job="Deadly",queue="deadly",outcome="lost"} 1',
    );
  });

  it('at its last attempt is told of as dead, with the error that is kept', async () => {
    const { jobs, runner, advance, takeAndDie, heard, lines, metrics, catalog } = await startBesideKilled();
    const { id } = await jobs.enqueue(Deadly, undefined, { retries: 0 });
    expect(await takeAndDie()).toEqual([id]);
    await runner.start();
    await advance(0);
    const [error] = (await catalog.task(id))!.errors;
    expect(heard).toMatchObject([
      { type: 'dead', id, attempt: 1, error: { name: 'LeaseLostError', message: error!.message } },
    ]);
    const message = `task ${id}: runner killed did not settle attempt 1 before its lease ended; it is dead`;
    expect(lines.filter(({ context }) => context === 'Deadly')).toEqual([
      { level: 'error', context: 'Deadly', message: expect.stringContaining(message) },
    ]);
    expect(await metrics()).toContain(
      'nestjs_jobs_task_outcomes_total{job="Deadly",queue="deadly",outcome="dead"} 1',
    );
  });

  it('after it was asked to stop is told of as cancelled', async () => {
    const { jobs, runner, advance, store, heard, lines } = await startBesideKilled();
    const { id } = await jobs.enqueue(Deadly);
    const queues = [{ queue: 'deadly', limit: 9 }];
    await store.tasks.claim({ queues, limit: 9, leaseMs, runner: 'killed' });
    await store.catalog.cancel([{ queue: 'deadly', id }]);
    await advance(leaseMs);
    await runner.start();
    await advance(0);
    expect(heard).toMatchObject([{ type: 'cancelled', id, reason: 'cancelled' }]);
    expect(lines.filter(({ context }) => context === 'Deadly')).toHaveLength(1);
  });

  it('ends the wait for its result in the moment in which it is found dead', async () => {
    const { jobs, runner, advance, takeAndDie } = await startBesideKilled();
    const task = await jobs.enqueue(Deadly, undefined, { retries: 0 });
    await takeAndDie();
    const result = expect(jobs.result(task, { timeout: '1h' })).rejects.toThrow(/did not settle/);
    await runner.start();
    await advance(0);
    await result;
  });
});
