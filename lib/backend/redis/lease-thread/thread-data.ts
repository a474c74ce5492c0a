import type { CloneableTarget } from './cloneable-target.js';

/** What the lease thread is started with. */
export interface ThreadData {
  readonly header: SharedArrayBuffer;
  readonly buffers: readonly SharedArrayBuffer[];
  /** Where ioredis is. */
  readonly ioredis: string;
  readonly target: CloneableTarget;
  /** What `CLIENT LIST` calls it. */
  readonly connectionName: string;
  readonly script: { readonly sha: string; readonly source: string };
  /** The keys of each queue, at the queue's number. */
  readonly queues: readonly (readonly string[])[];
  readonly leaseMs: number;
  /** How long an answer may take. */
  readonly answerMs: number;
  /** An event loop without a sign of life for so long is blocked. */
  readonly blockedAfterMs: number;
  /** One that is blocked for so long is no longer covered. */
  readonly blockedLimitMs: number;
}

/** What the thread says; it says nothing while all is well. */
export type ThreadMessage =
  | { readonly type: 'lost' | 'cancelled'; readonly row: number; readonly version: number }
  | { readonly type: 'trouble'; readonly why: string }
  | { readonly type: 'recovered' };
