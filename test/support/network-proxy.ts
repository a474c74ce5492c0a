import { createServer, createConnection, type AddressInfo, type Server, type Socket } from 'node:net';

/** What no longer comes through. */
export type Silence = 'requests' | 'replies' | 'both';

/** Stands between an application and its server, and fails as networks do. */
export class NetworkProxy {
  private readonly links = new Set<Link>();
  private readonly server: Server;
  /** For connections that are made from now on. */
  private silence: Silence | undefined;
  private isRefusing = false;
  private changed: (reply: string) => string = (reply) => reply;
  private losing: { request: string; tell: () => void } | undefined;
  private silencing: string | undefined;
  /** What comes through does so this much later, in order. */
  delayMs = 0;
  /** How many connections were reset in the middle of a reply. */
  resets = 0;

  constructor(private readonly targetPort: number) {
    this.server = createServer((client) => this.accept(client));
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
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

  /** The next request with this text reaches the server; its connection stays, and says nothing from then on. */
  silenceAt(request: string): void {
    this.silencing = request;
  }

  /** Half of the next reply on every connection comes through, and the connection is reset then. */
  resetInReply(): void {
    for (const link of this.links) link.isResetting = true;
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
    const link = new Link(
      client,
      server,
      this.silence,
      (reply) => this.changed(reply),
      () => this.delayMs,
      () => this.resets++,
    );
    this.links.add(link);
    client.on('close', () => this.links.delete(link));
    client.on('data', (data) => {
      link.note(data);
      if (this.silencing !== undefined && data.includes(this.silencing)) {
        this.silencing = undefined;
        link.silence = 'replies';
      }
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
  isResetting = false;
  private readonly late: (() => void)[] = [];
  private dueAt = 0;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    public silence: Silence | undefined,
    changed: (reply: string) => string,
    private readonly delayMs: () => number,
    private readonly hasReset: () => void,
  ) {
    client.on('data', (data) => this.lets('requests') && this.later(() => server.write(data)));
    server.on('data', (data) => {
      if (!this.lets('replies')) return;
      const reply = changed(data.toString('latin1'));
      if (this.isResetting) return this.reset(reply);
      this.later(() => client.write(reply, 'latin1'));
    });
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

  private reset(reply: string): void {
    this.hasReset();
    this.client.write(reply.slice(0, Math.ceil(reply.length / 2)), 'latin1', () => {
      this.client.resetAndDestroy();
      this.server.destroy();
    });
  }

  /** In order: nothing comes before what came before it. */
  private later(write: () => void): void {
    const delayMs = this.delayMs();
    if (delayMs === 0 && this.late.length === 0) return write();
    this.late.push(write);
    this.dueAt = Math.max(this.dueAt, Date.now() + delayMs);
    setTimeout(() => {
      const next = this.late.shift()!;
      if (!this.client.destroyed && !this.server.destroyed) next();
    }, this.dueAt - Date.now());
  }

  private lets(what: 'requests' | 'replies'): boolean {
    return this.silence !== 'both' && this.silence !== what;
  }
}
