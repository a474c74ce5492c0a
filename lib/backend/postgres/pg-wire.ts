import type { Client, QueryConfig } from 'pg';
import type { PgSocket } from './drivers.js';
import { isBroken } from './pg-connection.js';
import type { BellWire } from './postgres-bell.js';
import type { EventLine } from './postgres-events.js';
import { callOf, deadlineMs } from './postgres-functions.js';
import { bellChannel, readRing, ringing, type Ring } from './postgres-ring.js';
import { quoted } from './sql-connection.js';

/** A connection that has not been heard of for so long is asked whether it lives. */
const heartbeatMs = 15_000;
const longestPauseMs = 2_000;

function eventChannel(schema: string): string {
  return `${schema}:told`;
}

/** LISTEN and NOTIFY on a connection of its own, which is made anew when it breaks. */
export class PgWire implements BellWire, EventLine {
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private isClosed = false;
  private heard: (ring: Ring) => void = () => undefined;
  private missed: () => void = () => undefined;
  private heardEvents: ((payload: string) => void) | undefined;

  constructor(
    private readonly newClient: () => Client,
    private readonly schema: string,
  ) {}

  async open(heard: (ring: Ring) => void, missed: () => void): Promise<void> {
    this.heard = heard;
    this.missed = missed;
    await this.connect();
  }

  async send(rings: readonly Ring[]): Promise<boolean> {
    const { client } = this;
    if (!client) return false;
    const { statement, values } = ringing(this.schema, rings);
    return this.ask(client, { ...statement, values });
  }

  async tell(payloads: readonly string[]): Promise<void> {
    const { client } = this;
    // In writing already, so that nothing in it needs another look.
    const values = [JSON.stringify(payloads)];
    if (client) await this.ask(client, { name: 'tell_v1', text: callOf(this.schema, 'tell_v1'), values });
  }

  async hear(heard: ((payload: string) => void) | undefined): Promise<void> {
    this.heardEvents = heard;
    const { client } = this;
    // One that is not there yet, or no longer, listens when it is made.
    if (client) await this.ask(client, { text: this.listenToEvents(heard ? 'LISTEN' : 'UNLISTEN') });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    // Not waited for: a server that has fallen silent would never answer.
    void client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = this.newClient();
    const broken = () => this.broken(client);
    client.on('error', broken).on('end', broken);
    client.on('notification', ({ channel, payload }) => {
      if (channel === eventChannel(this.schema)) return this.heardEvents?.(payload ?? '');
      const ring = readRing(payload);
      if (ring) this.heard(ring);
    });
    try {
      await client.connect();
      await within(deadlineMs, client.query(`LISTEN ${quoted(bellChannel(this.schema))}`));
      if (this.heardEvents) await within(deadlineMs, client.query(this.listenToEvents('LISTEN')));
    } catch (error) {
      giveUp(client);
      throw error;
    }
    if (this.isClosed) return void client.end().catch(() => undefined);
    this.client = client;
    this.failures = 0;
    this.beatLater();
  }

  private listenToEvents(how: 'LISTEN' | 'UNLISTEN'): string {
    return `${how} ${quoted(eventChannel(this.schema))}`;
  }

  private broken(client: Client): void {
    if (client !== this.client) return;
    this.client = undefined;
    giveUp(client);
    this.reconnectLater();
  }

  private reconnectLater(): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    const pauseMs = Math.min(50 * 2 ** this.failures++, longestPauseMs) * (0.5 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.connect().then(
        () => this.isClosed || this.missed(),
        () => this.reconnectLater(),
      );
    }, pauseMs).unref();
  }

  private beatLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { client } = this;
      if (client)
        void this.ask(client, { text: 'SELECT 1' }).then(() => client === this.client && this.beatLater());
    }, heartbeatMs).unref();
  }

  /** One that does not answer in time may be half open: it is given up. */
  private async ask(client: Client, query: QueryConfig): Promise<boolean> {
    try {
      await within(deadlineMs, client.query(query));
      return true;
    } catch (error) {
      // What the server refused it would refuse again: the sweep makes up for it.
      if (!isBroken(error)) return true;
      this.broken(client);
      return false;
    }
  }
}

async function within(ms: number, answer: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a connection that may be half open: a driver that pipelines would wait for the answers to what it has sent. */
function giveUp(client: Client): void {
  void client.end().catch(() => undefined);
  (client as unknown as PgSocket).connection?.stream.destroy();
}
