import type { StateCounts, StreamEvents } from '../../../lib/dashboard/api.js';
import type { ApiFailure } from './api-failure.js';

/** `polling`: there is no stream, so one looks again and again. `down`: the store or the application gives no answer. */
export type LiveState = 'connecting' | 'live' | 'polling' | 'down';

export interface LiveView {
  readonly state: LiveState;
  readonly outage?: string;
  readonly counts?: StateCounts;
}

/** `queues`: where something happened; undefined: anywhere. */
type Listener = (queues?: readonly string[]) => void;

// Progress and elapsed leases ring no bell: also a live page looks again, only less often.
const pollMs = 5_000;
const livePollMs = 10_000;
const reopenMs = 15_000;

/** Says when what was fetched may be out of date: by the server's stream, and by the clock behind it. */
export class Live {
  private current: LiveView = { state: 'connecting' };
  private readonly onChange = new Set<Listener>();
  private readonly onView = new Set<() => void>();
  private source: EventSource | undefined;
  private timer: number | undefined;
  private reopening: number | undefined;

  constructor(private readonly address: string) {}

  get view(): LiveView {
    return this.current;
  }

  start(): void {
    this.open();
    this.wait();
    document.addEventListener('visibilitychange', this.lookAgain);
  }

  stop(): void {
    this.source?.close();
    clearTimeout(this.timer);
    clearTimeout(this.reopening);
    document.removeEventListener('visibilitychange', this.lookAgain);
  }

  changed(listener: Listener): () => void {
    this.onChange.add(listener);
    return () => this.onChange.delete(listener);
  }

  viewed(listener: () => void): () => void {
    this.onView.add(listener);
    return () => this.onView.delete(listener);
  }

  /** After something was done here. */
  lookNow(): void {
    this.tell();
  }

  /** Whether a call was answered tells about the store, too. */
  learn(failure?: ApiFailure): void {
    if (failure?.isOutage) this.show({ state: 'down', outage: failure.message });
    else if (this.current.state === 'down' && !failure)
      this.show({ state: this.withoutOutage(), outage: undefined });
  }

  private withoutOutage(): LiveState {
    return this.source?.readyState === EventSource.OPEN ? 'live' : 'polling';
  }

  private open(): void {
    const source = new EventSource(this.address);
    this.source = source;
    const on = <K extends keyof StreamEvents>(name: K, take: (data: StreamEvents[K]) => void) =>
      source.addEventListener(name, (event: MessageEvent<string>) =>
        take(JSON.parse(event.data) as StreamEvents[K]),
      );
    on('hello', () => {
      if (this.current.state !== 'down') this.show({ state: 'live' });
      this.tell();
    });
    on('changed', ({ counts, queues }) => {
      this.show({ state: 'live', counts, outage: undefined });
      this.tell(queues);
    });
    on('trouble', ({ message }) => this.show({ state: 'down', outage: message }));
    on('bye', () => this.show({ state: 'polling', counts: undefined }));
    source.addEventListener('error', () => {
      // What it has counted grows old: from now on what is asked for knows better.
      this.show({ state: this.current.state === 'down' ? 'down' : 'polling', counts: undefined });
      // One that was refused does not come back by itself.
      if (source.readyState === EventSource.CLOSED) this.openLater();
    });
  }

  private openLater(): void {
    clearTimeout(this.reopening);
    this.reopening = setTimeout(() => this.open(), reopenMs);
  }

  private wait(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lookAgain(), this.current.state === 'live' ? livePollMs : pollMs);
  }

  private readonly lookAgain = (): void => {
    // Nobody looks.
    if (document.visibilityState === 'visible') this.tell();
    this.wait();
  };

  private tell(queues?: readonly string[]): void {
    for (const listener of this.onChange) listener(queues);
  }

  private show(change: Partial<LiveView>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.onView) listener();
  }
}
