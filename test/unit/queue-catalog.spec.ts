import { describe, expect, it } from '@jest/globals';
import type { Backend } from '../../lib/backend/backend.js';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import type { KnownQueues } from '../../lib/catalog/known-queues.js';
import { QueueCatalog } from '../../lib/catalog/queue-catalog.js';
import { over } from '../../lib/testing/over.js';
import { VirtualClock } from '../../lib/testing/virtual-clock.js';

const names = Array.from({ length: 60 }, (_, index) => `q${String(index).padStart(2, '0')}`);

function catalogOf(partOf?: (queue: string) => number) {
  const memory = memoryBackend({ clock: new VirtualClock(1_000_000) });
  const asked: string[] = [];
  const backend = over<Backend>(memory, {
    tasks: over(memory.tasks, { partOf }),
    schedules: over(memory.schedules, {
      now: (queue) => {
        asked.push(queue);
        return memory.schedules.now(queue);
      },
    }),
  });
  const known = { names: async () => [...names] } as unknown as KnownQueues;
  return { catalog: new QueueCatalog(backend, known), asked };
}

describe('All queues at a glance', () => {
  it('ask the store for its time once, however many they are', async () => {
    const { catalog, asked } = catalogOf();
    expect((await catalog.all()).map(({ name }) => name)).toEqual(names);
    expect(asked).toEqual(['q00']);
  });

  it('ask each part of a store, which has a time of its own', async () => {
    const { catalog, asked } = catalogOf((queue) => Number(queue.slice(1)) % 3);
    await catalog.all();
    expect(asked).toEqual(['q00', 'q01', 'q02']);
  });
});
