import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a server may take to answer a farewell. */
const farewellMs = 1_000;

/** The sockets of our connections: those of a server that has fallen silent would stay open for minutes after the close. */
export class OwnSockets {
  private readonly open = new Set<Socket>();

  /** For a connection, as its option `stream`. */
  readonly make = (): Socket => {
    const socket = new Socket();
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    return socket;
  };

  async close(): Promise<void> {
    const over = new AbortController();
    const closed = [...this.open].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    const late = pause(farewellMs, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([Promise.all(closed), late]);
    over.abort();
    for (const socket of this.open) socket.destroy();
  }
}
