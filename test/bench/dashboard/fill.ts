import { setTimeout as pause } from 'node:timers/promises';
import { JobCatalog, JobQueue, JobRunner, type TaskState } from 'nestjs-jobs';
import type { BenchApp } from './bench-app.js';
import { ChargeCard, CountStock, ImportProducts, PackOrder, SendLetter, stock, Tick } from './bench-jobs.js';

const perBulk = 5_000;
const hourMs = 3_600_000;
const running = 50;
const schedules = 300;
const words = ['amber', 'basalt', 'cedar', 'dune', 'ember', 'fjord', 'gale', 'heath', 'iris', 'jade'];

type Bulk = Parameters<Parameters<JobQueue['bulk']>[0]>[0];

/** Brings so many tasks into the store, in every state: by enqueueing and running them, as an application does. */
export async function fill({ app }: BenchApp, count: number): Promise<Record<TaskState, number>> {
  const [jobs, catalog, runner] = [app.get(JobQueue), app.get(JobCatalog), app.get(JobRunner)];
  const share = (percent: number) => Math.round((count * percent) / 100);
  const put = async (amount: number, one: (bulk: Bulk, at: number) => void) => {
    for (let from = 0; from < amount; from += perBulk)
      await jobs.bulk((bulk) => {
        for (let at = from; at < Math.min(from + perBulk, amount); at++) one(bulk, at);
      });
  };
  const [dead, kept, parked, cancelled] = [share(20), share(20), share(5), share(5)];
  await put(dead, (bulk, at) => bulk.enqueue(ChargeCard, { order: orderOf(at), cause: causeOf(at) }));
  await put(kept, (bulk, at) => bulk.enqueue(PackOrder, { order: orderOf(at) }));
  await put(parked, (bulk, at) => bulk.enqueue(CountStock, { at }));
  stock.isCounted = true;
  await runner.start();
  await counted(catalog, { dead, succeeded: kept, parked });
  stock.isCounted = false;
  // What waits goes on waiting.
  for (const queue of ['mail', 'orders']) await catalog.pause(queue);
  await put(cancelled, (bulk, at) => bulk.enqueue(PackOrder, { order: orderOf(at) }, { in: '2d' }));
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false)
    ({ next } = await catalog.cancel({ state: 'scheduled', queue: 'orders' }, { after: next }));
  await put(share(20), (bulk, at) =>
    bulk.enqueue(SendLetter, letter(at), { at: Date.now() + hourMs + at * 1_000 }),
  );
  await put(running, (bulk, at) => bulk.enqueue(ImportProducts, { at }));
  await put(share(30) - running, (bulk, at) =>
    at % 3 === 0
      ? bulk.enqueue(PackOrder, { order: orderOf(at) }, { priority: at % 5 })
      : bulk.enqueue(SendLetter, letter(at)),
  );
  for (let at = 0; at < schedules; at++)
    await jobs.enqueue(Tick, at, { every: '1h', from: new Date(Date.now() + hourMs + at * 1_000) });
  await counted(catalog, { pending: running });
  return catalog.counts();
}

/** An order's number, which is in the params of many tasks. */
export function orderOf(at: number): string {
  return `order-${String(at).padStart(6, '0')}`;
}

function causeOf(at: number): string {
  return `${words[at % 10]} of ${words[Math.floor(at / 10) % 6]}`;
}

function letter(at: number) {
  return {
    to: `reader${at}@example.com`,
    subject: `About your ${words[at % 10]}, at length: ${'x'.repeat(100)}`,
  };
}

/** The runner has got so far. */
async function counted(catalog: JobCatalog, aim: Partial<Record<TaskState, number>>): Promise<void> {
  for (const until = Date.now() + 300_000; ; await pause(50)) {
    const counts = await catalog.counts();
    if (Object.entries(aim).every(([state, amount]) => counts[state as TaskState] >= amount)) return;
    if (Date.now() > until) throw new Error(`after five minutes there are ${JSON.stringify(counts)}`);
  }
}
