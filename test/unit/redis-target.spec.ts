import { afterAll, describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { nameOf, redisTarget, type RedisBackendOptions } from '../../lib/backend/redis/redis-target.js';

const secret = 'hunter2';
const target = (url: string) => redisTarget({ url });

/** What is said of what cannot be meant. */
function refusalOf(given: unknown): { code?: string; message: string } {
  try {
    redisTarget(given as RedisBackendOptions);
  } catch (error) {
    return error as Error;
  }
  throw new Error(`${JSON.stringify(given)} was accepted`);
}

describe('The address of a Redis server', () => {
  it.each([
    ['redis://', { host: 'localhost', port: 6379 }],
    ['redis://cache', { host: 'cache', port: 6379 }],
    ['redis://cache:7000', { host: 'cache', port: 7000 }],
    ['REDIS://cache:7000/', { host: 'cache', port: 7000 }],
    ['redis://:7000', { host: 'localhost', port: 7000 }],
    ['redis://[::1]:7000', { host: '::1', port: 7000 }],
    ['redis://[2001:db8::7]', { host: '2001:db8::7', port: 6379 }],
    ['redis://10.0.0.1:7000/3', { host: '10.0.0.1', port: 7000, db: 3 }],
    ['redis://cache/0', { host: 'cache', db: 0 }],
  ])('%s names a host, a port and a database', (url, expected) => {
    expect(target(url).options).toMatchObject(expected);
    expect(target(url).nodes).toBeUndefined();
    expect(target(url).options).not.toHaveProperty('tls');
  });

  it('has no database, user or password that it does not name', () => {
    const { options } = target('redis://cache:7000');
    for (const name of ['db', 'username', 'password']) expect(options).not.toHaveProperty(name);
  });

  it.each([
    ['redis://:hunter2@cache', { password: 'hunter2' }],
    ['redis://ada:hunter2@cache', { username: 'ada', password: 'hunter2' }],
    ['redis://ada@cache', { username: 'ada' }],
    ['redis://a%40b:p%2F%3A%40%25@cache', { username: 'a@b', password: 'p/:@%' }],
    ['redis://ada:p:q@r@cache', { username: 'ada', password: 'p:q@r' }],
    ['redis://ada:p/q?r#s@cache', { username: 'ada', password: 'p/q?r#s' }],
    ['redis://ada:%C3%BC%20x@cache', { username: 'ada', password: 'ü x' }],
    ['redis://ada:p@[::1]:7000/2', { username: 'ada', password: 'p', host: '::1', port: 7000, db: 2 }],
  ])('%s names a user', (url, expected) => {
    expect(target(url).options).toMatchObject({ host: 'cache', ...expected });
  });

  it('is spoken to by TLS where it begins with rediss://', () => {
    expect(target('rediss://cache:7000').options).toMatchObject({ host: 'cache', port: 7000, tls: {} });
  });

  it('is completed by options, which win', () => {
    const options = { tls: { ca: 'ours' }, db: 2, connectionName: 'jobs' };
    expect(redisTarget({ url: 'rediss://cache/1', options }).options).toMatchObject({
      host: 'cache',
      ...options,
    });
  });

  it('may be left to options', () => {
    const options = { sentinels: [{ host: 'a', port: 1 }], name: 'tasks' };
    expect(redisTarget({ options }).options).toMatchObject(options);
  });
});

describe('The address of a cluster', () => {
  it.each([
    [
      'redis+cluster://a:1,b:2,[::1]:3',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
        { host: '::1', port: 3 },
      ],
    ],
    ['redis+cluster://a', [{ host: 'a', port: 6379 }]],
    [
      'redis+cluster://ada:hunter2@a:1,b',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
      ],
    ],
  ])('%s names its nodes', (url, nodes) => {
    expect(target(url).nodes).toEqual(nodes);
    expect(target(url).options).not.toHaveProperty('host');
  });

  it('gives its user, and TLS, to every connection', () => {
    expect(target('rediss+cluster://ada:p@a:1,b:2').options).toMatchObject({
      username: 'ada',
      password: 'p',
      tls: {},
    });
  });
});

describe("An application's own client", () => {
  const single = new Redis({ lazyConnect: true, host: 'cache', port: 7000, db: 2, stringNumbers: true });
  const cluster = new Cluster([{ host: 'a', port: 1 }, 'redis://b:2', 3], {
    lazyConnect: true,
    redisOptions: { password: secret },
  });
  afterAll(() => {
    single.disconnect();
    cluster.disconnect();
  });

  it('says where the server is', () => {
    expect(redisTarget({ client: single })).toMatchObject({ options: { host: 'cache', port: 7000, db: 2 } });
  });

  it('says where the nodes of its cluster are', () => {
    const { nodes, options } = redisTarget({ client: cluster });
    expect(nodes).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
      { host: '127.0.0.1', port: 3 },
    ]);
    expect(options).toMatchObject({ password: secret });
  });

  it('does not decide in which shape our replies come', () => {
    expect(redisTarget({ client: single }).options).toMatchObject({
      stringNumbers: false,
      replyMapping: 'legacy',
    });
  });
});

describe('What cannot be meant', () => {
  it.each<[unknown, RegExp]>([
    [undefined, /url is "not given", but must be an address such as/],
    [{}, /url is "not given", but must be an address such as/],
    [{ url: 7 }, /url is 7, but must be text/],
    [{ url: 'localhost:6379' }, /url is "text without a scheme", but must be redis:\/\//],
    [{ url: `http://ada:${secret}@cache` }, /url is "http:\/\/", but must be redis:\/\//],
    [{ url: 'redis://a:1,b:2' }, /url is "2 hosts", but must be one host, or redis\+cluster:\/\//],
    [{ url: 'redis+cluster://a:1,,b:2' }, /a host, or host:port/],
    [{ url: 'redis+cluster://a:1/2' }, /url is "\/2", but must be .*no database number/],
    [{ url: `redis://ada:${secret}@cache:65536` }, /a host, or host:port/],
    [{ url: `redis://ada:${secret}@cache:0` }, /a host, or host:port/],
    [{ url: `redis://ada:${secret}` }, /a host, or host:port/],
    [{ url: `redis://:${secret}` }, /a host, or host:port/],
    [{ url: `redis://ada:${secret}%@cache` }, /%25/],
    [{ url: `redis://ada:${secret}@cache/jobs` }, /a database number/],
    [{ url: `redis://ada:${secret}@cache/-1` }, /a database number/],
    [{ url: `redis://ada:${secret}@cache/1/2` }, /a database number/],
    [
      { url: `redis://cache?password=${secret}` },
      /url is "\?password", but must be without settings .* options/,
    ],
    [{ url: 'redis://cache', client: {} }, /client is "a client", but must be given alone/],
    [{ client: { host: 'cache', password: secret } }, /must be an ioredis client or cluster/],
    [{ url: 'redis://cache', options: { keyPrefix: 'x:' } }, /keyPrefix is "x:", but must be left out/],
    [
      { url: 'redis://cache', password: secret },
      /password is "an unknown option", but must be one of url, options/,
    ],
  ])('is refused in plain words, with no password in them: %j', (given, expected) => {
    const { code, message } = refusalOf(given);
    expect(code).toBe('INVALID_OPTION');
    expect(message).toMatch(expected);
    expect(message).not.toContain(secret);
  });
});

describe('The name of a server', () => {
  it.each([
    [{ url: `redis://ada:${secret}@cache:7000/2` }, 'redis at cache:7000'],
    [{ url: `redis+cluster://ada:${secret}@a:1,b:2` }, 'redis cluster at a:1, b:2'],
    [
      { options: { sentinels: [{ host: 'a' }], name: 'tasks', password: secret } },
      "redis 'tasks' by sentinel",
    ],
    [{ options: { path: '/run/redis.sock' } }, 'redis at /run/redis.sock'],
    [{ options: {} }, 'redis at localhost:6379'],
  ])('of %j shows no user and no password', (given, name) => {
    expect(nameOf(redisTarget(given))).toBe(name);
  });
});
