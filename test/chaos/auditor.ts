import { setTimeout as sleep } from 'node:timers/promises';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redisBackend } from '../../lib/backend/redis/index.js';
import { postgresBackend } from '../../lib/backend/postgres/index.js';
import { JobCatalog, JobsModule } from '../../lib/index.js';
import type { TaskState } from '../../lib/task/task-record.js';
import type { Notebook } from './notebook.js';
import type { StoreAddress } from './stages/stage.js';

const states: TaskState[] = ['scheduled', 'waiting', 'pending', 'parked', 'succeeded', 'dead', 'cancelled'];
const tick = { queue: 'red', id: 'Tick' };
const tickEveryMs = 500;

/** Looks into the store from outside, by the catalog, and writes down what is there. */
export class Auditor {
  private constructor(private readonly app: INestApplicationContext) {}

  static async open(address: StoreAddress, prefix: string): Promise<Auditor> {
    const backend = 'redis' in address ? redisBackend(address.redis) : postgresBackend(address.postgres);
    class Audit {}
    Module({ imports: [JobsModule.forRoot({ backend, prefix, runner: false })] })(Audit);
    return new Auditor(await NestFactory.createApplicationContext(Audit, { logger: false }));
  }

  get catalog(): JobCatalog {
    return this.app.get(JobCatalog);
  }

  close(): Promise<void> {
    return this.app.close();
  }

  /** No slot makes a task any more; then waits until none is left that could run. */
  async restWithin(ms: number): Promise<boolean> {
    const until = Date.now() + ms;
    while (Date.now() < until) {
      const isDone = await this.isAtRest().catch(() => false);
      if (isDone) return true;
      await sleep(50);
    }
    return false;
  }

  private async isAtRest(): Promise<boolean> {
    await this.catalog.pauseSchedule(tick);
    const { scheduled, waiting, pending } = await this.catalog.counts();
    return scheduled + waiting + pending === 0;
  }

  /** What is there; `rowsOf` keeps what belongs to nothing of it. */
  async write(notebook: Notebook, rowsOf: Map<string, number> | undefined): Promise<void> {
    for (const queue of await this.catalog.queueNames()) {
      const counts = await this.catalog.counts(queue);
      for (const state of states) {
        notebook.note({ type: 'counted', queue, state, count: counts[state] });
        await this.list(notebook, queue, state, rowsOf);
      }
      const { locks } = await this.catalog.locks(queue, { limit: 1_000 });
      notebook.note({ type: 'locks', queue, held: locks.map(({ key, holder }) => ({ key, holder })) });
    }
    for (const [name, rows] of rowsOf ?? []) {
      const [queue, id] = name.split('/') as [string, string];
      notebook.note({ type: 'left', queue, id, rows });
    }
    const schedule = await this.catalog.schedule(tick);
    if (!schedule) return;
    const { firstSlot, lastSlot, fired, skipped } = schedule;
    notebook.note({
      type: 'schedule',
      ...tick,
      everyMs: tickEveryMs,
      firstSlot: firstSlot.getTime(),
      lastSlot: lastSlot?.getTime(),
      fired,
      skipped,
      wallAt: Date.now(),
    });
  }

  private async list(
    notebook: Notebook,
    queue: string,
    state: TaskState,
    rowsOf: Map<string, number> | undefined,
  ): Promise<void> {
    let after: string | undefined;
    do {
      const page = await this.catalog.tasks({ queue, state }, { limit: 1_000, after });
      for (const { id, job, attempt, scheduleId, slot } of page.tasks) {
        const rows = job === 'Booking' ? (rowsOf?.get(`${queue}/${id}`) ?? 0) : undefined;
        const ofSchedule = { schedule: scheduleId, slot: slot?.getTime() };
        notebook.note({ type: 'listed', queue, id, state, job, attempt, rows, ...ofSchedule });
        rowsOf?.delete(`${queue}/${id}`);
      }
      after = page.next;
    } while (after !== undefined);
  }
}
