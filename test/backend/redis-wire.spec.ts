import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Backend } from '../../lib/backend/backend.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { settings } from './conformance/setup.js';

let server: OwnRedis;
let admin: Redis;
beforeAll(async () => {
  server = await ownRedis();
  admin = adminOf(server.url);
});

const opened: Backend[] = [];
afterEach(async () => {
  for (const backend of opened.splice(0)) await backend.close();
});

async function open(url = server.url, prefix = settings.prefix): Promise<Backend> {
  const backend = redisBackend({ url });
  await backend.open({ ...settings, prefix });
  opened.push(backend);
  return backend;
}

async function listening(backend: Backend) {
  const heard: string[] = [];
  return { heard, stop: await backend.events.listen((text) => heard.push(text)) };
}

const published = async () =>
  Number(/cmdstat_publish:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
const listeners = async (channel: string) => Number((await admin.pubsub('NUMSUB', channel))[1]);
const connections = async () => ((await admin.client('LIST')) as string).trim().split('\n').length - 1;

describe('The event wire', () => {
  it('reaches other clients of the same prefix, and none of another', async () => {
    const [sender, near, far] = [await open(), await open(), await open(server.url, 'other')];
    const [own, other, strange] = [await listening(sender), await listening(near), await listening(far)];
    sender.events.send('one');
    far.events.send('strange');
    await eventually(() => own.heard.length + other.heard.length + strange.heard.length === 3);
    expect([own.heard, other.heard, strange.heard]).toEqual([['one'], ['one'], ['strange']]);
  });

  it('needs no connection beside the two that a client has', async () => {
    const backend = await open();
    await eventually(async () => (await connections()) === 2);
    const { heard } = await listening(backend);
    backend.events.send('one');
    await eventually(() => heard.length === 1);
    expect(await connections()).toBe(2);
  });

  it('publishes once what is sent in one moment, also from promises that follow each other', async () => {
    const backend = await open();
    const { heard } = await listening(backend);
    const before = await published();
    const sends = Array.from({ length: 100 }, async (_, n) => {
      for (let waits = 0; waits < n % 7; waits++) await Promise.resolve();
      backend.events.send(String(n));
    });
    await Promise.all(sends);
    await eventually(() => heard.length === 100);
    expect((await published()) - before).toBe(1);
  });

  it('is not listened to where nobody listens any more, and is again later', async () => {
    const backend = await open();
    expect(await listeners('jobs:events')).toBe(0);
    const [first, second] = [await listening(backend), await listening(backend)];
    expect(await listeners('jobs:events')).toBe(1);
    first.stop();
    backend.events.send('one');
    await eventually(() => second.heard.length === 1);
    second.stop();
    await eventually(async () => (await listeners('jobs:events')) === 0);
    const third = await listening(backend);
    backend.events.send('two');
    await eventually(() => third.heard.length === 1);
    expect([first.heard, second.heard, third.heard]).toEqual([[], ['one'], ['two']]);
  });

  it('leaves alone what others publish on its channel', async () => {
    const { heard } = await listening(await open());
    for (const message of ['', 's', 'text', '[', '{}', '[1,null,"mine",{}]'])
      await admin.publish('jobs:events', message);
    await eventually(() => heard.length > 0);
    expect(heard).toEqual(['mine']);
  });

  it('is heard again after the connections were lost, and makes up no texts for it', async () => {
    const [sender, other] = [await open(), await open()];
    const { heard } = await listening(other);
    const rings: string[] = [];
    await other.bell.listen(['mail'], (queue) => rings.push(queue));
    sender.events.send('before');
    await eventually(() => heard.length === 1);
    await admin.call('CLIENT', ['KILL', 'TYPE', 'pubsub']);
    // The bell rings by itself when it is heard again.
    await eventually(() => rings.length > 0);
    sender.events.send('after');
    await eventually(() => heard.length > 1);
    expect(heard).toEqual(['before', 'after']);
  });

  it('takes texts while the server is away, and is heard when it is back', async () => {
    const gone = await ownRedis();
    const [sender, other] = [await open(gone.url), await open(gone.url)];
    const { heard } = await listening(other);
    await gone.kill('SIGKILL');
    for (let n = 0; n < 1_000; n++) sender.events.send('lost');
    await gone.restart();
    await eventually(() => {
      sender.events.send('back');
      return heard.includes('back');
    });
    expect(heard).not.toContain('lost');
  });
});
