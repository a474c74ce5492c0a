import { setTimeout as pause } from 'node:timers/promises';
import { payload, type Producer, type System } from '../system.js';
import { Window, type OpenProbe, type Passed } from './window.js';

/** The library that works, and how its server is asked for its counts. */
export interface Stage {
  readonly system: System;
  readonly openProbe: OpenProbe;
}

/** How a work speaks with the process that asked for it. */
export interface Line {
  /** Says that the work is under way. */
  ready(): void;
  /** Resolves when the asker has seen enough. */
  readonly enough: Promise<void>;
}

export interface Place {
  readonly url: string;
  readonly queue: string;
}

/** What a child process can be asked to do: one piece of work, and its answer. */
export const works = { fill, handle, enqueue, enqueueUnique, hear, call, supply, due, rest };
export type Works = typeof works;

const bulkSize = 10_000;
const stepMs = 5;

/** Leaves tasks in the queue, due at once or at the given moment. */
async function fill(
  { system }: Stage,
  { url, queue, count, at }: Place & { count: number; at?: number },
): Promise<void> {
  const producer = await system.produce(url, queue);
  for (let left = count; left > 0; left -= bulkSize) {
    const size = Math.min(left, bulkSize);
    const moments = at === undefined ? undefined : Array<number>(size).fill(at);
    await producer.addBulk(
      Array.from({ length: size }, () => payload()),
      moments,
    );
  }
  await producer.close();
}

/**
 * Handles what is in the queue. Counted are `count` tasks after the first `warmUp`; more must wait behind them, so that the
 * clock stops, as it started, amid full work and not at an end that batches blur.
 */
async function handle(
  { system, openProbe }: Stage,
  { url, queue, concurrency, warmUp, count }: Place & { concurrency: number; warmUp: number; count: number },
): Promise<Passed> {
  const window = new Window(await openProbe(url));
  let handled = 0;
  let tell: () => void;
  const counted = new Promise<void>((resolve) => (tell = resolve));
  const consumer = await system.consume({ url, queues: [queue], concurrency }, () => {
    handled++;
    if (handled === warmUp) window.begin();
    if (handled !== warmUp + count) return;
    window.end();
    tell();
  });
  await counted;
  const passed = await window.passed();
  await consumer.close();
  return passed;
}

type Way = { readonly awaiters: number } | { readonly bulk: number };

/** Enqueues, by so many callers that each await their task, or in bulks. */
async function enqueue(
  { system, openProbe }: Stage,
  { url, queue, way, warmUp, count }: Place & { way: Way; warmUp: number; count: number },
): Promise<Passed> {
  const window = new Window(await openProbe(url));
  const producer = await system.produce(url, queue);
  const add = 'bulk' in way ? addInBulks : addByAwaiters;
  const size = 'bulk' in way ? way.bulk : way.awaiters;
  await add(producer, size, warmUp);
  window.begin();
  await add(producer, size, count);
  window.end();
  const passed = await window.passed();
  await producer.close();
  return passed;
}

const addByAwaiters = (producer: Producer, awaiters: number, count: number) =>
  byAwaiters(awaiters, count, () => producer.add(payload()));

async function byAwaiters(awaiters: number, count: number, add: () => Promise<unknown>): Promise<void> {
  let left = count;
  const awaiter = async () => {
    while (left-- > 0) await add();
  };
  await Promise.all(Array.from({ length: awaiters }, awaiter));
}

/**
 * Enqueues plain tasks and unique ones, each with a key of its own, by turns in one process: what the machine does to one it
 * does to the other. Answers the seconds of each turn.
 */
async function enqueueUnique(
  { system }: Stage,
  { url, queue, awaiters, turns, count }: Place & { awaiters: number; turns: number; count: number },
): Promise<{ plain: number[]; unique: number[] }> {
  const producer = await system.produce(url, queue);
  let key = 0;
  const ways = {
    plain: () => producer.add(payload(String(key++))),
    unique: () => producer.addUnique!(payload(String(key++))),
  };
  const seconds = { plain: [] as number[], unique: [] as number[] };
  // The first turn of each warms up.
  for (let turn = 0; turn <= turns; turn++) {
    for (const way of turn % 2 === 0 ? (['plain', 'unique'] as const) : (['unique', 'plain'] as const)) {
      const from = performance.now();
      await byAwaiters(awaiters, count, ways[way]);
      if (turn > 0) seconds[way].push((performance.now() - from) / 1_000);
    }
  }
  await producer.close();
  return seconds;
}

async function addInBulks(producer: Producer, size: number, count: number): Promise<void> {
  for (let left = count; left > 0; left -= size)
    await producer.addBulk(Array.from({ length: size }, () => payload()));
}

/** Handles what others enqueue: milliseconds from the call of `add` in another process to the handler. */
async function hear(
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
async function call(
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
async function supply(
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
async function due(
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

/** Runs many queues in which nothing happens. */
async function rest({ system }: Stage, { url, queues }: { url: string; queues: string[] }, line: Line) {
  const consumer = await system.consume({ url, queues, concurrency: 10 }, () => undefined);
  line.ready();
  await line.enough;
  await consumer.close();
}
