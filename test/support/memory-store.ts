import type { BackendSettings } from '../../lib/backend/backend.js';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import type { MemoryQueues } from '../../lib/backend/memory/memory-queues.js';
import type { TestStore } from '../backend/conformance/setup.js';
import { VirtualClock } from './virtual-clock.js';

/** A memory backend whose clock a test moves. */
export async function openMemoryStore(settings: BackendSettings): Promise<TestStore> {
  const clock = new VirtualClock();
  const backend = memoryBackend({ clock });
  await backend.open(settings);
  // What is kept past its use cannot be seen through the contract.
  const { store } = backend.catalog as unknown as { store: MemoryQueues };
  const entriesOf = (queue: string) =>
    (store.look(queue).locks as unknown as { holders: Map<string, { id: string }> }).holders;
  return {
    backend,
    advance: (ms) => clock.advance(ms),
    lockEntries: async (queue) => Array.from(entriesOf(queue), ([key, { id }]) => [key, id]),
    noteEntries: async (queue) =>
      [...store.look(queue).tasks.values()].filter(({ notes }) => notes).map(({ id }) => id),
    close: () => backend.close(),
  };
}
