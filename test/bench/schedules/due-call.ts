import type { Redis } from 'ioredis';
import { memoryBackend, type Backend } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { thousands, type Row } from '../table.js';
import { percentile } from '../side-by-side/figures.js';

const queue = 'bench';
const calls = 2_000;
const perTurn = 1_000;
const hourMs = 3_600_000;

/** How long a look takes that finds one schedule, of which the store holds one or many. */
export async function measureDueCall(store: string, redis: Redis | undefined, stored: number): Promise<Row> {
  await redis?.flushall('SYNC');
  const backend = redis ? redisBackend({ url: `redis://127.0.0.1:${redis.options.port}` }) : memoryBackend();
  await backend.open({ prefix: 'jobs', deadKeepMs: 0, cancelledKeepMs: 0, enqueueTimeoutMs: 5_000 });
  try {
    await fill(backend, stored);
    const ms: number[] = [];
    for (let call = 0; call < calls; call++) {
      const from = performance.now();
      const { schedules } = await backend.schedules.due([{ queue, skip: 0 }]);
      ms.push(performance.now() - from);
      if (schedules.length !== 1) throw new Error(`${schedules.length} schedules were due instead of one`);
    }
    // The first half warms up.
    const counted = ms.slice(calls / 2);
    return {
      store: `${store}, ${thousands(stored)} stored`,
      p50: percentile(counted, 50).toFixed(3),
      p99: percentile(counted, 99).toFixed(3),
      'in the server': redis ? await scriptMs(backend, redis) : '–',
    };
  } finally {
    await backend.close();
  }
}

/** One that is due, the others an hour ahead. */
async function fill({ schedules }: Backend, count: number): Promise<void> {
  const now = Date.now();
  for (let turn = 0; turn < count; turn += perTurn)
    await Promise.all(
      Array.from({ length: Math.min(perTurn, count - turn) }, (_, n) => {
        const number = turn + n;
        const nextSlot = number === 0 ? now - 1 : now + hourMs + number;
        const rule = JSON.stringify({ every: { ms: hourMs } });
        const template = JSON.stringify({ params: 'null', priority: 0, retries: 0 });
        const schedule = { queue, id: `schedule-${number}`, job: 'Recurring', rule, template, nextSlot };
        return schedules.put({ ...schedule, isDeclared: false }, 'absent');
      }),
    );
}

/** What the server itself needs for the script of one look. */
async function scriptMs({ schedules }: Backend, redis: Redis): Promise<string> {
  await redis.config('RESETSTAT');
  for (let call = 0; call < calls; call++) await schedules.due([{ queue, skip: 0 }]);
  const stats = await redis.info('commandstats');
  return (Number(/^cmdstat_evalsha:.*usec_per_call=([\d.]+)/m.exec(stats)![1]) / 1_000).toFixed(3);
}
