import { payload, type Producer } from '../system.js';
import type { Place, Stage } from './stage.js';
import { Window, type Passed } from './window.js';

type Way = { readonly awaiters: number } | { readonly bulk: number };

/** Enqueues, by so many callers that each await their task, or in bulks. */
export async function enqueue(
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
export async function enqueueUnique(
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
