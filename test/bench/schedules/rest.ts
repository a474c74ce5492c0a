import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { JobQueue, JobRunner } from 'nestjs-jobs';
import { thousands, type Row } from '../table.js';
import { startApp, type BenchApp } from './bench-app.js';

const hourMs = 3_600_000;
const settleMs = 3_000;
const perTurn = 1_000;

/** What a runner asks of the server while schedules are stored whose slots are far ahead. */
export async function measureRest(redis: Redis, stored: number, seconds: number): Promise<Row> {
  const bench = await startApp(redis);
  try {
    await fill(bench, stored);
    await bench.app.get(JobRunner).start();
    await pause(settleMs);
    await redis.config('RESETSTAT');
    const [serverBefore, nodeBefore] = [await serverCpuMs(redis), process.cpuUsage()];
    await pause(seconds * 1_000);
    const { user, system } = process.cpuUsage(nodeBefore);
    const serverMs = (await serverCpuMs(redis)) - serverBefore;
    const calls = await commandsSince(redis);
    const scripts = calls.get('evalsha') ?? 0;
    const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
    return {
      'hourly schedules': thousands(stored),
      'script calls/s': (scripts / seconds).toFixed(2),
      'commands/s, within scripts too': (all / seconds).toFixed(2),
      'server CPU, ms/s': (serverMs / seconds).toFixed(2),
      'process CPU, ms/s': ((user + system) / 1_000 / seconds).toFixed(2),
    };
  } finally {
    await bench.app.close();
  }
}

async function fill({ app, Recurring }: BenchApp, count: number): Promise<void> {
  const jobs = app.get(JobQueue);
  const first = Date.now() + hourMs;
  for (let turn = 0; turn < count; turn += perTurn)
    await Promise.all(
      Array.from({ length: Math.min(perTurn, count - turn) }, (_, n) =>
        jobs.enqueue(Recurring, turn + n, { every: '1h', from: new Date(first + turn + n) }),
      ),
    );
}

async function serverCpuMs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const of = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)![1]) * 1_000;
  return of('used_cpu_user') + of('used_cpu_sys');
}

/** How often each command was given since the counts were set to zero, but for those of this measure. */
async function commandsSince(redis: Redis): Promise<Map<string, number>> {
  const stats = (await redis.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  const counts = Array.from(stats, ([, command, calls]): [string, number] => [command!, Number(calls)]);
  return new Map(counts.filter(([command]) => !/^(info|config)/.test(command)));
}
