import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/app.js';
import { blockingWorkers, leaseMs } from './fixtures/blocking-workers.js';

const startTwo = blockingWorkers(process.env.TEST_POSTGRES_URL!);

describe('A handler that blocks the event loop, on PostgreSQL', () => {
  it('for more than three leases keeps what its process holds, although another looks for it', async () => {
    const two = await startTwo();
    const beganAt = await two.begin(['first', 'second']);
    await eventually(() => Date.now() - beganAt > 3.5 * leaseMs);
    for (const id of ['first', 'second'])
      expect(await two.task(id)).toMatchObject({ state: 'pending', attempt: 1 });
    two.unblock();
    for (const id of ['first', 'second']) {
      await eventually(async () => (await two.task(id))?.state === 'succeeded');
      expect(await two.task(id)).toMatchObject({ attempt: 1, failures: 0 });
      expect(two.began(id)).toHaveLength(1);
    }
  }, 120_000);
});
