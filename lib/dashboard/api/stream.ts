import type { StateCounts } from './basics.js';

/**
 * The events of the stream, by name, each with its data as JSON. A stream ends after some minutes, so that whoever is no longer
 * allowed to look does not go on looking: an EventSource begins anew by itself. One that cannot be opened (429, 503) leaves
 * polling.
 */
export interface StreamEvents {
  /** The first. */
  readonly hello: { readonly apiVersion: number };
  /** At most once a second: what was fetched before may be out of date. */
  readonly changed: {
    readonly counts: StateCounts;
    /** Those in which something happened. */
    readonly queues: readonly string[];
    readonly troubles: number;
  };
  /** The store gives no answer; `changed` says that it does again. */
  readonly trouble: { readonly message: string };
  /** The process ends. */
  readonly bye: Readonly<Record<string, never>>;
}
