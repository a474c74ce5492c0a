import { Socket } from 'node:net';
import type * as Pg from 'pg';
import { answerWithin } from '../../lease-thread/answer-within.js';
import type { PostgresThreadData } from './postgres-thread-data.js';

const longestReconnectPauseMs = 1_000;
const leastConnectMs = 2_000;

/** The thread's own connection. It comes back by itself and keeps nothing for later: a renewal is of use now or never. */
export class ThreadConnection {
  private open: { readonly client: Pg.Client; readonly socket: Socket } | undefined;
  private tries = 0;
  private trouble: Error | undefined;
  private hasServerLimit = true;

  constructor(
    private readonly pg: Pick<typeof Pg, 'Client'>,
    private readonly data: PostgresThreadData,
  ) {
    void this.connect();
  }

  /** The only column of the only row, as the server wrote it. */
  async ask(statement: string, value: string): Promise<string> {
    if (!this.open) throw this.trouble ?? new Error('not connected');
    const { client, socket } = this.open;
    const { rows } = await answerWithin(
      this.data.answerMs,
      client.query<[string]>({ text: statement, values: [value], rowMode: 'array' }),
      // It may be half-open, and no later call would be answered either.
      (error) => socket.destroy(error),
    );
    this.tries = 0;
    return rows[0]![0];
  }

  private async connect(): Promise<void> {
    const socket = new Socket();
    // However a connection ends, or fails to begin, its socket closes once.
    socket.once('close', () => this.reconnect());
    try {
      const client = new this.pg.Client(this.config(socket));
      // The first says why; that the connection has ended comes after it.
      client.on('error', (error) => (this.trouble ??= error));
      await client.connect();
      if (socket.destroyed) return;
      this.trouble = undefined;
      this.open = { client, socket };
    } catch (error) {
      this.trouble = error as Error;
      // A pooler in between refuses what it does not know: then only our own deadline ends a call.
      if (this.trouble.message.includes('startup parameter')) this.hasServerLimit = false;
      socket.destroy();
    }
  }

  private reconnect(): void {
    this.open = undefined;
    this.tries++;
    setTimeout(() => void this.connect(), Math.min(this.tries * 50, longestReconnectPauseMs));
  }

  private config(socket: Socket): Pg.ClientConfig {
    const { config, applicationName, answerMs } = this.data;
    return {
      ...config,
      application_name: applicationName,
      connectionTimeoutMillis: Math.max(answerMs, leastConnectMs),
      keepAlive: true,
      keepAliveInitialDelayMillis: answerMs,
      stream: () => socket,
      // A server goes on with what nobody waits for any more: it has to end it itself, or calls that wait for a lock pile up.
      ...(this.hasServerLimit ? { statement_timeout: Math.ceil((answerMs * 3) / 4) } : {}),
      types: { getTypeParser: () => String },
    };
  }
}
