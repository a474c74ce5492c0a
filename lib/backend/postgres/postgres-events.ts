import type { EventWire } from '../event-wire.js';
import { fromText, toText } from './postgres-text.js';

/** What carries payloads between processes. */
export interface EventLine {
  /** Never rejects. Each payload takes less than 8,000 bytes; without a connection they are lost. */
  tell(payloads: readonly string[]): Promise<void>;
  /** Calls `heard` with each payload that any process tells from now on, in place of who heard them before. Never rejects. */
  hear(heard: ((payload: string) => void) | undefined): Promise<void>;
}

type Hear = (text: string) => void;

const mostBytes = 4_000;
const payloadBytes = 7_900;
/** While the database is slow to take them; more are lost. */
const mostWaiting = 10_000;

/** Texts go round in this process, and to the others by the line: one statement at a time for all that have come meanwhile. */
export class PostgresEvents implements EventWire {
  private readonly listeners = new Set<Hear>();
  private hearing: Promise<void> | undefined;
  private waiting: string[] = [];
  private isSending = false;
  private told = 0;

  constructor(
    private readonly line: EventLine | undefined,
    /** Tells our own texts from those of others: what went round here needs no echo. */
    private readonly sender: string,
  ) {}

  send(text: string): void {
    if (Buffer.byteLength(text) > mostBytes || this.waiting.length === mostWaiting) return;
    this.waiting.push(text);
    // What is sent in the same moment is to be aboard.
    if (!this.isSending) {
      this.isSending = true;
      queueMicrotask(() => void this.sendAll());
    }
  }

  async listen(heard: Hear): Promise<() => void> {
    // An own function for each call: who listens twice may stop once.
    const own: Hear = (text) => heard(text);
    this.listeners.add(own);
    if (this.listeners.size === 1) this.hearing = this.line?.hear((payload) => this.hear(payload));
    await this.hearing;
    return () => {
      if (this.listeners.delete(own) && this.listeners.size === 0) void this.line?.hear(undefined);
    };
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const texts = this.waiting;
      this.waiting = [];
      for (const text of texts) this.goRound(text);
      await this.line?.tell(this.payloadsOf(texts));
    }
    this.isSending = false;
  }

  /** As few as hold them. Numbered: of equal ones in a transaction the database delivers but one. */
  private payloadsOf(texts: readonly string[]): string[] {
    const payloads: string[] = [];
    let payload = '';
    for (const text of texts) {
      const written = writtenText(text);
      if (payload && Buffer.byteLength(payload) + Buffer.byteLength(written) + 2 > payloadBytes) {
        payloads.push(`${payload}]`);
        payload = '';
      }
      payload ||= JSON.stringify([this.sender, this.told++]).slice(0, -1);
      payload += `,${written}`;
    }
    return payload ? [...payloads, `${payload}]`] : payloads;
  }

  private hear(payload: string): void {
    const [sender, , ...texts] = readPayload(payload);
    if (sender === this.sender) return;
    for (const text of texts) this.goRound(typeof text === 'string' ? text : fromBytes(text));
  }

  private goRound(text: string): void {
    for (const heard of this.listeners)
      try {
        heard(text);
      } catch {
        // Whoever sends has done its work; a listener's trouble is not its own.
      }
  }
}

/** Where escapes would make a text longer than a payload, it travels as bytes. */
function writtenText(text: string): string {
  const written = toText(text);
  return Buffer.byteLength(written) > payloadBytes - 100
    ? JSON.stringify([Buffer.from(text).toString('base64')])
    : written;
}

function fromBytes(written: unknown): string {
  return Buffer.from((written as [string])[0], 'base64').toString();
}

function readPayload(payload: string): unknown[] {
  try {
    const read = fromText(payload);
    return Array.isArray(read) ? read : [];
  } catch {
    // Somebody else uses the channel.
    return [];
  }
}
