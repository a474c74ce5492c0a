import { memoryBackend } from 'nestjs-jobs';
import type { MemoryQueues } from '../../lib/backend/memory/memory-queues.js';
import { describeSessionContest } from './fixtures/session-contest.js';

describeSessionContest(
  'memory',
  async () => {
    const store = memoryBackend();
    // What is kept past its use cannot be seen through the contract.
    const { store: queues } = store.catalog as unknown as { store: MemoryQueues };
    return { store, lockEntries: async (queue) => queues.look(queue).locks.keys() };
  },
  'as it writes',
);
