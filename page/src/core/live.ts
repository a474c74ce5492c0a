import type { StateCounts, StreamEvents } from '../../../lib/dashboard/api.js';
import { ApiFailure } from './api-failure.js';
import { Quiet } from './quiet.js';

/** `polling`: there is no stream, so one looks again and again. `down`: nothing is answered. */
export type LiveState = 'connecting' | 'live' | 'polling' | 'down';

export interface LiveView {
  readonly state: LiveState;
  readonly outage?: ApiFailure;
  readonly counts?: StateCounts;
  /** How much is wrong. */
  readonly troubles?: number;
}

/** Why what was fetched may be out of date. */
export interface Change {
  /** `hello`: what happened before the stream began was not told. `act`: something was done here. `clock`: some time has passed. */
  readonly why: 'hello' | 'stream' | 'clock' | 'act';
  /** Where something happened; undefined: anywhere. */
  readonly queues?: readonly string[];
}

type Listener = (change: Change) => void;

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
  private readonly quiet = new Quiet();

  constructor(private readonly address: string) {}

  get view(): LiveView {
    return this.current;
  }

  start(): void {
    document.addEventListener('visibilitychange', this.turned);
    if (isSeen()) this.wake();
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.turned);
    this.sleep();
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
    this.tell({ why: 'act' });
  }

  /** Whether a call was answered tells about the store, too. */
  learn(failure?: ApiFailure): void {
    if (failure?.isOverload) this.quiet.refused(failure.retryAfterMs);
    if (failure?.isOutage) this.show({ state: 'down', outage: failure });
    if (failure) return;
    this.quiet.answered();
    if (this.current.state === 'down') this.show({ state: this.withoutOutage(), outage: undefined });
  }

  private withoutOutage(): LiveState {
    return this.source?.readyState === EventSource.OPEN ? 'live' : 'polling';
  }

  /** A tab that nobody sees takes no connection: a browser has few, and the rest of the application needs them. */
  private readonly turned = (): void => {
    this.sleep();
    if (this.current.state !== 'down')
      this.show({ state: 'connecting', counts: undefined, troubles: undefined });
    if (!isSeen()) return;
    this.wake();
    this.tell({ why: 'clock' });
  };

  private wake(): void {
    this.open();
    this.wait();
  }

  private sleep(): void {
    this.source?.close();
    this.source = undefined;
    clearTimeout(this.timer);
    clearTimeout(this.reopening);
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
      this.tell({ why: 'hello' });
    });
    on('changed', ({ counts, queues, troubles }) => {
      this.show({ state: 'live', counts, troubles, outage: undefined });
      this.tell({ why: 'stream', queues });
    });
    on('trouble', ({ message }) =>
      this.show({ state: 'down', outage: new ApiFailure('STORE_UNAVAILABLE', message, 503) }),
    );
    on('bye', () => this.show({ state: 'polling', counts: undefined, troubles: undefined }));
    source.addEventListener('error', () => {
      // What it has counted grows old: from now on what is asked for knows better.
      const state = this.current.state === 'down' ? 'down' : 'polling';
      this.show({ state, counts: undefined, troubles: undefined });
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
    const afterMs = this.current.state === 'live' ? livePollMs : pollMs;
    this.timer = setTimeout(() => {
      this.tell({ why: 'clock' });
      this.wait();
    }, afterMs);
  }

  private tell(change: Change): void {
    if (change.why !== 'act' && this.quiet.isOn) return;
    for (const listener of this.onChange) listener(change);
  }

  private show(change: Partial<LiveView>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.onView) listener();
  }
}

function isSeen(): boolean {
  return document.visibilityState === 'visible';
}
