import { createServer, createConnection, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';

/** What no longer comes through. */
export type Silence = 'requests' | 'replies' | 'both';

const proxies: TcpProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

/** Stands between an application and its server, and fails as networks do. Closed after the test. */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private readonly server: Server;
  /** For connections that are made from now on. */
  private silence: Silence | undefined;
  private isRefusing = false;
  private changed: (reply: string) => string = (reply) => reply;
  private losing: { request: string; tell: () => void } | undefined;

  private constructor(private readonly targetPort: number) {
    this.server = createServer((client) => this.accept(client));
  }

  static async to(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    proxies.push(proxy);
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** How many connections are half-open now. */
  get held(): number {
    return [...this.links].filter(({ silence }) => silence).length;
  }

  /**
   * Half-open: connections stay, and nothing comes through them any more, not even after `pass`; nor through new ones until
   * then. With `which`, only through those open now that have sent that text.
   */
  hold(silence: Silence, which?: string): void {
    if (which === undefined) this.silence = silence;
    for (const link of this.links) if (which === undefined || link.hasSent(which)) link.silence = silence;
  }

  /** Ends every connection, and new ones at once until `pass`. */
  refuse(): void {
    this.isRefusing = true;
    this.cut();
  }

  /** Lets new connections through. */
  pass(): void {
    this.isRefusing = false;
    this.silence = undefined;
  }

  /** Ends every connection. */
  cut(): void {
    for (const link of this.links) link.end();
  }

  /** The next request with this text reaches the server, its reply does not come back, and the connection ends then. */
  loseReplyTo(request: string): Promise<void> {
    return new Promise((tell) => (this.losing = { request, tell }));
  }

  /** What the server says comes through as something else of the same length. */
  changeReplies(change: (reply: string) => string): void {
    this.changed = change;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    if (this.isRefusing) return void client.destroy();
    const server = createConnection({ port: this.targetPort, host: '127.0.0.1' });
    const link = new Link(client, server, this.silence, (reply) => this.changed(reply));
    this.links.add(link);
    client.on('close', () => this.links.delete(link));
    client.on('data', (data) => {
      link.note(data);
      if (this.losing && data.includes(this.losing.request)) {
        const { tell } = this.losing;
        this.losing = undefined;
        link.endAtReply(tell);
      }
    });
  }
}

/** One connection through the proxy. */
class Link {
  private sent = '';

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    public silence: Silence | undefined,
    changed: (reply: string) => string,
  ) {
    client.on('data', (data) => this.lets('requests') && server.write(data));
    server.on(
      'data',
      (data) => this.lets('replies') && client.write(changed(data.toString('latin1')), 'latin1'),
    );
    for (const socket of [client, server]) socket.on('error', () => this.end()).on('close', () => this.end());
  }

  /** The first bytes tell what a connection is for. */
  note(data: Buffer): void {
    if (this.sent.length < 4_096) this.sent += data.toString('latin1').toLowerCase();
  }

  hasSent(text: string): boolean {
    return this.sent.includes(text);
  }

  endAtReply(tell: () => void): void {
    this.silence = 'replies';
    this.server.once('data', () => {
      this.end();
      tell();
    });
  }

  end(): void {
    this.client.destroy();
    this.server.destroy();
  }

  private lets(what: 'requests' | 'replies'): boolean {
    return this.silence !== 'both' && this.silence !== what;
  }
}
