import type { ServerResponse } from 'node:http';
import { apiVersion } from '../api/basics.js';
import type { StreamEvents } from '../api/stream.js';
import { ApiFailure } from '../http/api-failure.js';
import { takeOver } from '../http/send.js';
import type { Asked, Route } from '../routes/route.js';
import type { Pulse } from './pulse.js';

const beatMs = 15_000;
/** Then a page asks anew, and guards and `authorize` decide anew. */
const longestMs = 5 * 60_000;
/** Who reads so slowly that this much is left unread is let go. */
const mostUnread = 64 * 1_024;

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Not to be compressed: what is compressed is held back.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
};

/** The live streams of this process: a bounded number, each for a bounded time. */
export class EventStreams {
  private readonly open = new Set<Stream>();
  private isClosed = false;

  constructor(
    private readonly pulse: Pulse,
    private readonly most: number,
  ) {}

  get route(): Route {
    return { method: 'GET', path: 'stream', role: 'view', handle: (asked) => this.start(asked) };
  }

  /** The process ends: a server waits for its open answers. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.open) {
      stream.send('bye', {});
      stream.end();
    }
  }

  private start({ response, call }: Asked): 'taken' {
    if (this.isClosed) throw new ApiFailure(503, 'SHUTTING_DOWN', 'this process is about to end');
    if (this.open.size >= this.most)
      throw new ApiFailure(
        429,
        'TOO_MANY_STREAMS',
        `there are ${this.most} live streams already; poll instead`,
        {
          headers: { 'retry-after': '30' },
        },
      );
    const raw = takeOver(response, headers);
    if (call.method === 'HEAD') {
      raw.end();
      return 'taken';
    }
    const stream = new Stream(raw);
    this.open.add(stream);
    const stopListening = this.pulse.listen(({ type, data }) => stream.send(type, data));
    raw.once('close', () => {
      stopListening();
      stream.end();
      this.open.delete(stream);
    });
    stream.send('hello', { apiVersion });
    return 'taken';
  }
}

class Stream {
  private readonly beat = setInterval(() => this.write(': beat\n\n'), beatMs);
  private readonly limit = setTimeout(() => this.end(), longestMs);

  constructor(private readonly raw: ServerResponse) {
    // A connection that breaks is closed, and no more than that.
    raw.on('error', () => raw.destroy());
    this.write('retry: 2000\n\n');
  }

  send<T extends keyof StreamEvents>(type: T, data: StreamEvents[T]): void {
    this.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    clearInterval(this.beat);
    clearTimeout(this.limit);
    if (!this.raw.writableEnded) this.raw.end();
  }

  private write(text: string): void {
    if (this.raw.writableEnded || this.raw.destroyed) return;
    if (this.raw.writableLength > mostUnread) this.raw.destroy();
    else this.raw.write(text);
  }
}
