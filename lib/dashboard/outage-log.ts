import type { ApiFailure } from './http/api-failure.js';
import { isOfStore } from './http/failure-of.js';

const onceInMs = 60_000;
/** Of so many messages it is known when they were written. */
const mostKnown = 100;

/** While a store is away, every page of every reader fails every few seconds: that is written once a minute, with how often. */
export class OutageLog {
  private readonly known = new Map<string, { readonly saidAt: number; unsaid: number }>();

  constructor(
    private readonly write: (message: string, stack?: string) => void,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  failed({ code, message, cause }: ApiFailure): void {
    const stack = cause instanceof Error ? cause.stack : undefined;
    // Anything else is a mistake in code: each of those is news.
    if (code !== 'STORE_UNAVAILABLE') return this.write(message, stack);
    const key = keyOf(message, cause);
    const before = this.known.get(key);
    const now = this.elapsed();
    if (before && now - before.saidAt < onceInMs) {
      before.unsaid++;
      return;
    }
    this.note(key, now);
    const more = before?.unsaid ? ` (and ${before.unsaid} times more since this was last written)` : '';
    this.write(message + more, stack);
  }

  private note(key: string, saidAt: number): void {
    this.known.delete(key);
    this.known.set(key, { saidAt, unsaid: 0 });
    if (this.known.size <= mostKnown) return;
    const [oldest] = this.known.keys();
    this.known.delete(oldest!);
  }
}

/** What is surely the store's is one trouble; else another message may be another one, unless only its numbers differ. */
function keyOf(message: string, cause: unknown): string {
  return isOfStore(cause) ? '' : message.replace(/\d+/g, '#');
}
