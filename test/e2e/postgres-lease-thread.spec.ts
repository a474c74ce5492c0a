import { createConnection, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClientConfig } from 'pg';
import type { LeaseGuard } from '../../lib/backend/backend.js';
import { guardPostgresLeases } from '../../lib/backend/postgres/lease-thread/postgres-lease-guard.js';
import type { Lease } from '../../lib/task/outcome.js';
import { eventually } from '../support/app.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { threads } from './fixtures/lease-threads.js';
import { StandInLeases } from './fixtures/stand-in-leases.js';

const url = process.env.TEST_POSTGRES_URL!;
const leaseMs = 4_000;
const longMs = 3_600_000;

let store: StandInLeases;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  store = await StandInLeases.create(url);
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await store.drop();
});

/** A guard and what it has told; the event loop shows that it is alive wherever it can. */
function start(
  config: ClientConfig = { connectionString: url },
  changes: { blockedLimitMs?: number; leaseMs?: number } = {},
) {
  const told = { lost: [] as Lease[], cancelled: [] as Lease[], reports: [] as string[] };
  const guard = guardPostgresLeases(config, store.prefix, {
    queues: ['mail', 'other'],
    leaseMs,
    blockedLimitMs: longMs,
    ...changes,
    lost: (lease) => told.lost.push(lease),
    cancelled: (lease) => told.cancelled.push(lease),
    report: (message) => told.reports.push(message),
  });
  const beat = setInterval(() => guard?.alive(), leaseMs / 6);
  ends.push(
    () => clearInterval(beat),
    () => guard?.stop(),
  );
  return { guard: guard!, told };
}

/** A lease in the store and with the guard, which prolongs it in time. */
async function held(guard: LeaseGuard, id: string, endsInMs = leaseMs) {
  const lease = { queue: 'other', id, epoch: 1_753_000_000_123_456 };
  await store.add(lease.queue, id, lease.epoch, endsInMs);
  return { lease, row: guard.hold(lease) };
}

const isConnected = () => eventually(async () => (await store.connections()).length === 1);
const isRenewed = (id: string) => eventually(async () => (await store.answers(id)).includes('k'));

async function isRenewedAnew(id: string): Promise<void> {
  const before = (await store.answers(id)).length;
  await eventually(async () => (await store.answers(id)).slice(before).includes('k'));
}

/** Nothing else happens in this thread meanwhile. */
function block(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

/** The address of the server by another port. */
const through = (port: number): ClientConfig => {
  const address = new URL(url);
  address.host = `127.0.0.1:${port}`;
  return { connectionString: address.href };
};
const serverPort = Number(new URL(url).port);

describe('The lease thread of PostgreSQL', () => {
  it('renews leases while the main event loop is blocked for several of them', async () => {
    const { guard, told } = start();
    await isConnected();
    const { row } = await held(guard, 'a');
    await held(guard, 'b');
    block(3.5 * leaseMs);
    expect(guard.renewedAgoMs(row)).toBeLessThan(leaseMs);
    for (const id of ['a', 'b']) {
      expect(await store.isHeld(id)).toBe(true);
      expect(await store.answers(id)).toMatch(/^k{4,}$/);
    }
    expect(told).toEqual({ lost: [], cancelled: [], reports: [] });
  });

  it('renews nothing past its limit for a blocked event loop, and tells of the loss when that is back', async () => {
    const { guard, told } = start();
    await isConnected();
    const limited = await held(guard, 'limited');
    await held(guard, 'unlimited');
    guard.limit(limited.row, leaseMs / 4);
    block(3 * leaseMs);
    expect(await store.isHeld('limited')).toBe(false);
    expect(await store.isHeld('unlimited')).toBe(true);
    await eventually(() => told.lost.length > 0);
    expect(told.lost[0]).toEqual(limited.lease);
    expect(told.lost.every(({ id }) => id === 'limited')).toBe(true);
  });

  it('renews past its limit for an event loop that is alive', async () => {
    const { guard } = start();
    const { row } = await held(guard, 'a');
    guard.limit(row, 0);
    await isRenewed('a');
    await isRenewedAnew('a');
  });

  it('renews nothing for an event loop that is blocked for longer than it may be', async () => {
    const { guard } = start(undefined, { blockedLimitMs: leaseMs / 2 });
    await isConnected();
    await held(guard, 'a');
    block(3 * leaseMs);
    expect(await store.isHeld('a')).toBe(false);
  });

  it('tells of a lost lease, and of a task that is asked to stop, whose lease is kept', async () => {
    const { guard, told } = start();
    const lost = await held(guard, 'lost');
    const cancelled = await held(guard, 'cancelled');
    await held(guard, 'kept');
    await store.change("UPDATE leases SET epoch = epoch + 1 WHERE id = 'lost'");
    await store.change("UPDATE leases SET is_cancelled = true WHERE id = 'cancelled'");
    await eventually(() => told.lost.length > 0 && told.cancelled.length > 0);
    expect(told.lost[0]).toEqual(lost.lease);
    expect(told.cancelled[0]).toEqual(cancelled.lease);
    expect(guard.renewedAgoMs(lost.row)).toBe(Infinity);
    expect(guard.renewedAgoMs(cancelled.row)).toBeLessThan(leaseMs);
    expect([...told.lost, ...told.cancelled].filter(({ id }) => id === 'kept')).toEqual([]);
  });

  it('says nothing of a lease that was released', async () => {
    const { guard, told } = start();
    const { row } = await held(guard, 'released');
    await held(guard, 'kept');
    guard.release(row);
    await store.change("DELETE FROM leases WHERE id = 'released'");
    await isRenewed('kept');
    await isRenewedAnew('kept');
    expect(told.lost).toEqual([]);
  });

  it('asks for a locked lease again soon, for it alone, and does not take it for lost', async () => {
    const { guard, told } = start(undefined, { leaseMs: 2 * leaseMs });
    const { row } = await held(guard, 'locked', longMs);
    await held(guard, 'free', longMs);
    const unlock = await store.lock('locked');
    await isConnected();
    await eventually(async () => (await store.answers('locked')).includes('uuuuuu'));
    expect((await store.answers('free')).length).toBeLessThan((await store.answers('locked')).length - 1);
    expect(guard.renewedAgoMs(row)).toBe(Infinity);
    await unlock();
    await isRenewed('locked');
    await eventually(() => guard.renewedAgoMs(row) < Infinity);
    expect(told).toEqual({ lost: [], cancelled: [], reports: [] });
  });

  it('takes 2,000 leases in a call at most', async () => {
    const ids = Array.from({ length: 2_500 }, (_, n) => `t${n}`);
    await store.addMany('mail', ids);
    // Held before the thread begins, so that it finds all of them at once.
    const { guard } = start(undefined, { leaseMs: 20_000 });
    const rows = ids.map((id) => guard.hold({ queue: 'mail', id, epoch: 1 }));
    await eventually(() => rows.every((row) => guard.renewedAgoMs(row) < Infinity));
    expect((await store.calls()).slice(0, 2)).toEqual([2_000, 500]);
  });

  it('cannot be had with options that only this thread has: which one, is said', () => {
    const { guard, told } = start({ connectionString: url, password: () => 'secret' });
    expect(guard).toBeUndefined();
    expect(told.reports).toEqual([
      "leases are renewed by the main event loop, since the PostgreSQL option 'password' cannot be handed to another thread: " +
        'a handler that blocks it loses its task',
    ]);
  });
});

describe('The connection of the lease thread of PostgreSQL', () => {
  it('goes with its thread', async () => {
    const before = threads();
    const { guard } = start();
    await isConnected();
    expect(threads()).toBe(before + 1);
    await guard.stop();
    expect(threads()).toBe(before);
    await eventually(async () => (await store.connections()).length === 0);
  });

  it('is made anew, and once only, each time that the server ends it', async () => {
    const { guard, told } = start();
    await held(guard, 'a', longMs);
    const seen = new Set<number>();
    for (let time = 0; time < 5; time++) {
      await isConnected();
      const [pid] = await store.connections();
      expect(seen).not.toContain(pid);
      seen.add(pid!);
      await store.admin.query('SELECT pg_terminate_backend($1)', [pid]);
      await eventually(async () => !(await store.connections()).includes(pid!));
    }
    await isRenewedAnew('a');
    expect(await store.connections()).toHaveLength(1);
    expect(told.lost).toEqual([]);
  });

  it('is given up where no answer comes, and made anew when one would', async () => {
    const proxy = await TcpProxy.to(serverPort);
    const { guard, told } = start(through(proxy.port));
    await held(guard, 'a', longMs);
    await isRenewed('a');
    proxy.hold('both');
    let most = 0;
    await eventually(async () => {
      most = Math.max(most, (await store.connections()).length, proxy.held);
      return told.reports.length > 0;
    });
    expect(told.reports[0]).toMatch(
      /^the lease thread cannot renew leases, the main event loop does: (no answer within 1000 ms|timeout expired)$/,
    );
    proxy.pass();
    await isRenewedAnew('a');
    await eventually(() => told.reports.length > 1);
    expect(told.reports.slice(1)).toEqual(['the lease thread renews leases again']);
    expect(most).toBe(1);
    await eventually(async () => (await store.connections()).length === 1 && proxy.held === 0);
    expect(told.lost).toEqual([]);
  });

  it('is given up where a server accepts and says nothing from the beginning', async () => {
    const proxy = await TcpProxy.to(serverPort);
    proxy.hold('replies');
    const { guard, told } = start(through(proxy.port));
    await held(guard, 'a', longMs);
    await eventually(() => told.reports.length > 0);
    await eventually(() => proxy.held === 0);
    proxy.pass();
    await isRenewed('a');
    await eventually(() => told.reports.length > 1);
    expect(told.reports).toHaveLength(2);
    await eventually(async () => (await store.connections()).length === 1);
  });

  it('can be stopped while nothing answers', async () => {
    const proxy = await TcpProxy.to(serverPort);
    const { guard } = start(through(proxy.port));
    await held(guard, 'a', longMs);
    await isRenewed('a');
    proxy.hold('both');
    await guard.stop();
    await eventually(async () => (await store.connections()).length === 0);
  });

  it('stays while leases are locked for long: the server ends what waits for them', async () => {
    const { guard, told } = start();
    await held(guard, 'a', longMs);
    await isRenewed('a');
    const before = await store.connections();
    const unlock = await store.lockAll();
    let most = 0;
    await eventually(async () => {
      most = Math.max(most, (await store.connections()).length);
      return told.reports.length > 0;
    });
    expect(told.reports[0]).toContain('canceling statement due to statement timeout');
    expect(most).toBe(1);
    await unlock();
    await isRenewedAnew('a');
    await eventually(() => told.reports.length > 1);
    expect(await store.connections()).toEqual(before);
  });

  it('is made without a limit on statements where a pooler does not let one through', async () => {
    const port = await poolerBefore(serverPort);
    const { guard, told } = start(through(port));
    await held(guard, 'a');
    await isRenewed('a');
    expect(told.reports).toEqual([]);
  });

  it('is known by the name of its prefix, whatever name the address gives', async () => {
    const address = new URL(url);
    address.searchParams.set('application_name', 'mine');
    start({ connectionString: address.href, application_name: 'mine, too' });
    await isConnected();
  });

  it('shows no password when it says why it cannot be made', async () => {
    const address = new URL(url);
    // The server quotes the user, whatever it asks for.
    address.username = 'no%20such';
    address.password = 'no%20such';
    const { guard, told } = start({ connectionString: address.href });
    await held(guard, 'a');
    await eventually(() => told.reports.length > 0);
    expect(told.reports[0]).toMatch(/^the lease thread cannot renew leases, .* "\*\*\*"/);
    expect(told.reports[0]).not.toContain('such');
  });
});

/** Refuses a first message with a setting that poolers do not know, as PgBouncer does. */
async function poolerBefore(port: number): Promise<number> {
  const pooler: Server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (first) => {
      if (first.includes('statement_timeout')) {
        const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', '', ''].join(
          '\0',
        );
        const head = Buffer.alloc(5, 'E');
        head.writeInt32BE(4 + fields.length, 1);
        return client.end(Buffer.concat([head, Buffer.from(fields)]));
      }
      const server = createConnection({ port, host: '127.0.0.1' });
      server.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      server.write(first);
      client.pipe(server).pipe(client);
    });
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  // Its connections end with the guard, which is stopped before.
  ends.unshift(() => new Promise((resolve) => pooler.close(resolve)));
  return (pooler.address() as AddressInfo).port;
}
