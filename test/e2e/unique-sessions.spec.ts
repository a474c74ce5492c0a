import { afterEach, describe, expect, it } from '@jest/globals';
import { Job, memoryBackend } from 'nestjs-jobs';
import type { MemoryQueues } from '../../lib/backend/memory/memory-queues.js';
import { startApp } from '../support/app.js';
import { contendedJob } from './fixtures/contended-job.mjs';
import { ContendedSessions } from './fixtures/contended-sessions.js';
import { overlaps } from './fixtures/contention.js';
import { KeyLedger } from './fixtures/key-ledger.js';
import { holdUniqueContest, production } from './fixtures/unique-contest.js';

const queue = 'contended';

let crowd: ContendedSessions | undefined;
afterEach(() => crowd?.ended());

describe('Sixty-four producers over a hundred keys in memory, while runners are cut off from the store', () => {
  it('never have two live tasks of a key, and leave no lock', async () => {
    const store = memoryBackend();
    const ledger = new KeyLedger();
    const job = contendedJob(Job, { queue, ledger });
    const app = await startApp({ options: { backend: store, runner: false }, realTime: true });
    crowd = new ContendedSessions(ledger, app, job, { store, queue, production });
    // What is kept past its use cannot be seen through the contract.
    const { store: queues } = store.catalog as unknown as { store: MemoryQueues };
    const lockEntries = async () => queues.look(queue).locks.keys();
    const ended = await holdUniqueContest({
      ...{ crowd, ledger, app, job, queue, lockEntries, killEveryMs: 400 },
    });
    expect(overlaps(ended)).toEqual([]);
  }, 1_800_000);
});
