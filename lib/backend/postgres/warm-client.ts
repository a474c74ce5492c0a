import type { UsedClient } from './used-client.js';

/** A sequel that takes longer, as a rule or in this case, is not worth waiting for. */
const shortMs = 3;

/**
 * The connection whose sequel has left last. By the time of the next claim the server has nearly always done it, and only its
 * answer is yet to be read: to take another connection then would wake another process of the server, which costs as much as a
 * quarter of a hundred tasks. On a slow disk, or a silent connection, claims go their own way.
 */
export class WarmClient {
  private latest: { readonly used: UsedClient; readonly since: number } | undefined;
  /** How long sequels have taken lately. */
  private usualMs = 0;

  /** The first statement on it is answered, and its sequel under way; what is answered is to be called at its end. */
  follows(used: UsedClient): () => void {
    const since = performance.now();
    this.latest = { used, since };
    return () => {
      this.usualMs += (performance.now() - since - this.usualMs) / 8;
    };
  }

  /** Joined, if there is one: whoever takes it leaves it. Taken once: a second would have to wait for the first. */
  take(): UsedClient | undefined {
    const { latest } = this;
    this.latest = undefined;
    if (!latest || this.usualMs > shortMs || !latest.used.mayBeJoined) return undefined;
    return performance.now() - latest.since <= shortMs ? latest.used.join() : undefined;
  }
}
