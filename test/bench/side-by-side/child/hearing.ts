import { setTimeout as pause } from 'node:timers/promises';
import { payload } from '../system.js';
import type { Line, Place, Stage } from './stage.js';

const stepMs = 5;

/** Handles what others enqueue: milliseconds from the call of `add` in another process to the handler. */
export async function hear(
  { system }: Stage,
  { url, queue, concurrency = 10 }: Place & { concurrency?: number },
  line: Line,
): Promise<number[]> {
  const delays: number[] = [];
  const consumer = await system.consume({ url, queues: [queue], concurrency }, ({ at }) => {
    delays.push(Number(process.hrtime.bigint() - BigInt(at)) / 1e6);
  });
  line.ready();
  await line.enough;
  await consumer.close();
  return delays;
}

/** Enqueues single tasks with pauses, each with the moment of its call, on the clock that all processes share. */
export async function call(
  { system }: Stage,
  { url, queue, count, pauseMs }: Place & { count: number; pauseMs: number },
): Promise<void> {
  const producer = await system.produce(url, queue);
  for (let called = 0; called < count; called++) {
    await pause(pauseMs * (0.5 + Math.random()));
    await producer.add(payload(String(process.hrtime.bigint())));
  }
  await producer.close();
}

/** Enqueues so many tasks a second, each with the moment of its call, whether or not the earlier ones are stored. */
export async function supply(
  { system }: Stage,
  { url, queue, perSecond, seconds }: Place & { perSecond: number; seconds: number },
): Promise<void> {
  const producer = await system.produce(url, queue);
  const calls: Promise<unknown>[] = [];
  for (const from = performance.now(); calls.length < perSecond * seconds; await pause(stepMs)) {
    const owed = Math.min(seconds, (performance.now() - from) / 1_000) * perSecond;
    while (calls.length < owed) calls.push(producer.add(payload(String(process.hrtime.bigint()))));
  }
  await Promise.all(calls);
  await producer.close();
}

/** Handles tasks that become due evenly within one second: milliseconds from due time to handler. */
export async function due(
  { system }: Stage,
  { url, queue, count, leadMs }: Place & { count: number; leadMs: number },
): Promise<number[]> {
  const lateness: number[] = [];
  let tell: () => void;
  const all = new Promise<void>((resolve) => (tell = resolve));
  const request = { url, queues: [queue], concurrency: 100, delays: true };
  const consumer = await system.consume(request, ({ at }) => {
    lateness.push(Date.now() - Number(at));
    if (lateness.length === count) tell();
  });
  const producer = await system.produce(url, queue);
  const firstAt = Date.now() + leadMs;
  const dueAt = Array.from({ length: count }, (_, index) => firstAt + Math.floor((index * 1_000) / count));
  await producer.addBulk(
    dueAt.map((at) => payload(String(at))),
    dueAt,
  );
  if (Date.now() > firstAt - 500) throw new Error(`${count} tasks were not stored within ${leadMs} ms`);
  await all;
  await producer.close();
  await consumer.close();
  return lateness;
}
