import type { Overview } from '../api/overview.js';
import type { StreamEvents } from '../api/stream.js';
import { failureOf } from '../http/failure-of.js';
import type { OverviewSource } from '../overview-source.js';
import { queueDigests } from './queue-digests.js';

/** What a stream is told. */
export type PulseEvent =
  | { readonly type: 'changed'; readonly data: StreamEvents['changed'] }
  | { readonly type: 'trouble'; readonly data: StreamEvents['trouble'] };

const leastMs = 1_000;
const mostMs = 15_000;
/** Looking takes at most this part of the time. */
const share = 10;
/** A hint stays small. */
const mostNamed = 200;

/**
 * Looks, while somebody listens, what has changed since the last look: once a second, or less often where a look takes long.
 * One look serves all listeners, and costs the hot path nothing.
 */
export class Pulse {
  private listeners: readonly ((event: PulseEvent) => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private seen: ReadonlyMap<string, string> | undefined;
  private isTroubled = false;

  constructor(private readonly overview: OverviewSource) {}

  listen(listener: (event: PulseEvent) => void): () => void {
    this.listeners = [...this.listeners, listener];
    if (this.listeners.length === 1) void this.look();
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
      if (this.listeners.length === 0) this.rest();
    };
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.seen = undefined;
    this.isTroubled = false;
  }

  private async look(): Promise<void> {
    const at = performance.now();
    try {
      this.compare(await this.overview.fresh());
    } catch (error) {
      this.trouble(failureOf(error).message);
    }
    const tookMs = performance.now() - at;
    if (this.listeners.length === 0) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), Math.min(Math.max(leastMs, tookMs * share), mostMs));
  }

  private compare(overview: Overview): void {
    const now = queueDigests(overview);
    const before = this.seen;
    this.seen = now;
    const isBack = this.isTroubled;
    this.isTroubled = false;
    if (!before && !isBack) return;
    const names = [...new Set([...(before?.keys() ?? []), ...now.keys()])];
    const queues = names.filter((name) => isBack || before?.get(name) !== now.get(name));
    if (queues.length === 0) return;
    const { counts, troubles } = overview;
    const shown = queues.filter((name) => name !== '').slice(0, mostNamed);
    this.tell({ type: 'changed', data: { counts, queues: shown, troubles: troubles.length } });
  }

  private trouble(message: string): void {
    if (this.isTroubled) return;
    this.isTroubled = true;
    this.tell({ type: 'trouble', data: { message } });
  }

  private tell(event: PulseEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
