import { afterEach, expect, it } from '@jest/globals';
import type { Added, TaskStore } from '../../lib/backend/backend.js';
import { Adder } from '../../lib/queue/adder.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { CountingClock } from '../support/counting-clock.js';

interface Call {
  readonly ids: string[];
  answer(): void;
}

let adder: Adder | undefined;
afterEach(() => adder?.close());

function setup() {
  const calls: Call[] = [];
  const add: TaskStore['add'] = (groups) =>
    new Promise((resolve) => {
      const ids = groups.map(([task]) => task!.id);
      calls.push({ ids, answer: () => resolve(groups.map(() => [{ status: 'enqueued' } as Added])) });
    });
  adder = new Adder({ tasks: { add } as TaskStore }, new CountingClock(), 1_000);
  adder.open();
  let ids = 0;
  const enqueue = async (count: number) => {
    const added = Array.from({ length: count }, () => adder!.add([{ id: `${ids++}`, job: 'J' } as NewTask]));
    for (const one of added) void one.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { calls, enqueue };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `${from + n}`);

it('sends what many enqueue in one moment in two calls, in their order, so that store and callers take turns', async () => {
  const { calls, enqueue } = setup();
  await enqueue(100);
  expect(calls.map(({ ids }) => ids)).toEqual([numbers(0, 50), numbers(50, 100)]);
  calls[0]!.answer();
  await enqueue(50);
  // The other half is still under way.
  expect(calls.map(({ ids }) => ids).slice(2)).toEqual([numbers(100, 150)]);
});

it('sends what few enqueue in one call', async () => {
  const { calls, enqueue } = setup();
  await enqueue(63);
  expect(calls.map(({ ids }) => ids)).toEqual([numbers(0, 63)]);
});

it('sends in one call what many enqueue while others are under way', async () => {
  const { calls, enqueue } = setup();
  await enqueue(1);
  await enqueue(100);
  expect(calls.map(({ ids }) => ids.length)).toEqual([1, 100]);
});
