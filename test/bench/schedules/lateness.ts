import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { JobQueue, JobRunner, type Task } from 'nestjs-jobs';
import type { Row } from '../table.js';
import { percentile } from '../side-by-side/figures.js';
import { startApp } from './bench-app.js';

const schedules = 20;
const secondMs = 1_000;
const aimMs = 50;

/** Milliseconds from a slot to its run, by the clock of the machine, which is the store's as well. */
export async function measureLateness(
  store: string,
  redis: Redis | undefined,
  seconds: number,
): Promise<Row[]> {
  return [
    await sample(`${store}, slots spread over the second`, redis, seconds, secondMs / schedules),
    await sample(`${store}, all slots at once`, redis, seconds, 0),
  ];
}

async function sample(
  work: string,
  redis: Redis | undefined,
  seconds: number,
  apartMs: number,
): Promise<Row> {
  const lateness: number[] = [];
  let bare: number[] = [];
  const { app, Recurring } = await startApp(redis, ({ slot }: Task) =>
    lateness.push(performance.timeOrigin + performance.now() - slot!.getTime()),
  );
  try {
    await app.get(JobRunner).start();
    const first = Date.now() + secondMs;
    for (let n = 0; n < schedules; n++)
      await app
        .get(JobQueue)
        .enqueue(Recurring, n, { every: secondMs, from: new Date(first + Math.round(n * apartMs)) });
    await pause(first + secondMs - Date.now());
    // The first second warms up.
    lateness.length = 0;
    bare = await bareTimers(seconds);
  } finally {
    await app.close();
  }
  const p99 = percentile(lateness, 99);
  return {
    store: work,
    slots: lateness.length,
    'p50, ms': percentile(lateness, 50).toFixed(1),
    'p99, ms': p99.toFixed(1),
    'max, ms': Math.max(...lateness).toFixed(1),
    'bare timers: p99, ms': percentile(bare, 99).toFixed(1),
    [`asked: p99 < ${aimMs} ms`]: p99 < aimMs ? 'met' : '**missed**',
  };
}

/** How late Node's own timers are in the same process meanwhile: nothing that runs here can be more punctual. */
async function bareTimers(seconds: number): Promise<number[]> {
  const lateness: number[] = [];
  for (const until = performance.now() + seconds * secondMs; performance.now() < until;) {
    const at = performance.now() + secondMs / schedules;
    await pause(secondMs / schedules);
    lateness.push(performance.now() - at);
  }
  return lateness;
}
