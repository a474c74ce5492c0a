import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '../support/app.js';
import { blockingWorkers, leaseMs } from './fixtures/blocking-workers.js';

const url = process.env.TEST_REDIS_URL!;
const startTwo = blockingWorkers(url);
let admin: Redis;

beforeAll(() => {
  admin = new Redis(url);
});

afterAll(async () => {
  await admin.quit();
});

/** The connections of lease threads, by id. */
async function threadConnections(prefix: string): Promise<string[]> {
  const lines = String(await admin.client('LIST')).split('\n');
  return lines
    .filter((line) => line.includes(`name=${prefix}:leases `))
    .map((line) => /^id=(\d+)/.exec(line)![1]!);
}

describe('A handler that blocks the event loop', () => {
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

  it('keeps its task also where the connection of its lease thread is cut meanwhile', async () => {
    const two = await startTwo();
    const beganAt = await two.begin();
    await eventually(() => Date.now() - beganAt > leaseMs / 2);
    const cut = await threadConnections(two.prefix);
    expect(cut).toHaveLength(2);
    for (const id of cut) await admin.client('KILL', 'ID', Number(id));
    await eventually(
      async () => (await threadConnections(two.prefix)).filter((id) => !cut.includes(id)).length === 2,
    );
    await eventually(() => Date.now() - beganAt > 3.5 * leaseMs);
    two.unblock();
    await eventually(async () => (await two.task())?.state === 'succeeded');
    expect(await two.task()).toMatchObject({ attempt: 1, failures: 0 });
    expect(two.began()).toHaveLength(1);
  }, 120_000);

  it.each([
    ['its timeout', {}, '1s'],
    ['`blockedLimit`', { blockedLimit: '2s' }, undefined],
  ])(
    'past %s loses its task to another process, whose outcome counts',
    async (_, runner, timeout) => {
      const two = await startTwo(runner);
      await two.begin(['first'], timeout);
      await eventually(() => two.ended().length === 1);
      const [first, second] = two.began();
      expect(second).not.toBe(first);
      await eventually(async () => (await two.task())?.state === 'succeeded');
      expect(await two.task()).toMatchObject({
        attempt: 2,
        failures: 1,
        errors: [{ name: 'LeaseLostError' }],
      });
      two.unblock();
      await eventually(() => two.ended().length === 2);
      expect(two.ended()).toEqual([second, first]);
      expect(await two.task()).toMatchObject({ state: 'succeeded', attempt: 2, failures: 1 });
    },
    120_000,
  );
});
