import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What a busy machine may take to pass on what has been said. */
const tellsWithinMs = 10_000;

/**
 * Counts the commands that clients send, by Redis' own MONITOR; what scripts do inside themselves is not sent. Slows the
 * server down, so it has runs of its own.
 */
export class Monitor {
  private rest = '';
  private count = 0;
  private readonly edges: number[] = [];

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => this.read(text));
  }

  static async start(url: string): Promise<Monitor> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write('MONITOR\r\n');
    await new Promise((resolve, reject) => socket.once('data', resolve).once('error', reject));
    return new Monitor(socket);
  }

  /** Commands since the start. */
  get sent(): number {
    return this.count;
  }

  /** Commands between the edges of a child's measure: see `Window`. Its answer may be here before the server tells of the last one. */
  async sentInWindow(): Promise<number> {
    const until = performance.now() + tellsWithinMs;
    while (this.edges.length < 2 && performance.now() < until) await pause(10);
    const [from, to] = this.edges;
    if (from === undefined || to === undefined) throw new Error('the edges of the measure were not seen');
    return to - from - 1;
  }

  stop(): void {
    this.socket.destroy();
  }

  private read(text: string): void {
    const lines = (this.rest + text).split('\r\n');
    this.rest = lines.pop()!;
    for (const line of lines) {
      // +1699999999.123456 [0 127.0.0.1:40000] "evalsha" …, or [0 lua] for what a script calls
      const end = line.indexOf(']');
      if (end < 0 || line.startsWith(' lua', end - 4)) continue;
      this.count++;
      if (/^ "info" "cpu"$/i.test(line.slice(end + 1))) this.edges.push(this.count);
    }
  }
}
