import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PgPoolClient } from '../../lib/backend/postgres/drivers.js';
import { UsedClient } from '../../lib/backend/postgres/used-client.js';
import { WarmClient } from '../../lib/backend/postgres/warm-client.js';

let now = 0;
beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void jest.restoreAllMocks());

function clientOf(pipeline = true) {
  const released: unknown[] = [];
  const destroyed: string[] = [];
  const client = {
    pipeline,
    connection: { stream: { destroy: () => destroyed.push('stream') } },
    on: () => undefined,
    off: () => undefined,
    release: (isBroken?: boolean) => released.push(isBroken),
  };
  return { client: client as unknown as PgPoolClient, released, destroyed };
}

/** A sequel has left on a connection, and takes so long. */
function followed(warm: WarmClient, used: UsedClient, ms: number): void {
  const over = warm.follows(used);
  now += ms;
  over();
}

describe('A connection with a sequel under way', () => {
  it('is taken by the next statement, and by one only', () => {
    const warm = new WarmClient();
    const used = new UsedClient(clientOf().client);
    warm.follows(used);
    now += 2;
    expect(warm.take()).toBe(used);
    expect(warm.take()).toBeUndefined();
  });

  it('is given back once, by the last who uses it', () => {
    const warm = new WarmClient();
    const { client, released } = clientOf();
    const used = new UsedClient(client);
    warm.follows(used);
    warm.take();
    used.leave();
    expect(released).toEqual([]);
    used.leave();
    expect(released).toEqual([false]);
  });

  it('is not taken after it was given back', () => {
    const warm = new WarmClient();
    const used = new UsedClient(clientOf().client);
    followed(warm, used, 1);
    used.leave();
    expect(warm.take()).toBeUndefined();
  });

  it('is given back as broken where one of those who used it says so, and taken by nobody before', () => {
    const warm = new WarmClient();
    const { client, released } = clientOf();
    const used = new UsedClient(client).join();
    warm.follows(used);
    used.leave(true);
    expect(warm.take()).toBeUndefined();
    used.leave();
    expect(released).toEqual([true]);
  });

  it('is cut off once for all who use it', () => {
    const { client, released, destroyed } = clientOf();
    const used = new UsedClient(client).join();
    used.cutOff();
    used.cutOff();
    used.leave();
    used.leave(true);
    expect(released).toEqual([true]);
    expect(destroyed).toEqual(['stream']);
  });

  it('is left alone where it has been silent for a while: it may be half open, or its disk slow', () => {
    const warm = new WarmClient();
    warm.follows(new UsedClient(clientOf().client));
    now += 4;
    expect(warm.take()).toBeUndefined();
  });

  it('is left alone while sequels take long as a rule, and taken again when they no longer do', () => {
    const warm = new WarmClient();
    for (let n = 0; n < 20; n++) followed(warm, new UsedClient(clientOf().client), 10);
    warm.follows(new UsedClient(clientOf().client));
    expect(warm.take()).toBeUndefined();
    for (let n = 0; n < 20; n++) followed(warm, new UsedClient(clientOf().client), 1);
    warm.follows(new UsedClient(clientOf().client));
    expect(warm.take()).toBeDefined();
  });

  it('is left alone where the driver has no pipeline', () => {
    const warm = new WarmClient();
    warm.follows(new UsedClient(clientOf(false).client));
    expect(warm.take()).toBeUndefined();
  });
});
