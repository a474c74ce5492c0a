/** What every lease thread is started with; each engine adds how its thread reaches the store. */
export interface ThreadData {
  readonly header: SharedArrayBuffer;
  readonly buffers: readonly SharedArrayBuffer[];
  readonly leaseMs: number;
  /** How long an answer may take. */
  readonly answerMs: number;
  /** An event loop without a sign of life for so long is blocked. */
  readonly blockedAfterMs: number;
  /** One that is blocked for so long is no longer covered. */
  readonly blockedLimitMs: number;
}

/** What an engine adds. */
export type Own<Data extends ThreadData> = Omit<Data, keyof ThreadData>;

/** What the thread is told: of a further segment of the board, or to say how it is. */
export type ThreadRequest = SharedArrayBuffer | { readonly ask: number };

/** What the thread says; unasked it says nothing while all is well. */
export type ThreadMessage =
  | { readonly type: 'lost' | 'cancelled'; readonly row: number; readonly version: number }
  | { readonly type: 'trouble'; readonly why: string }
  | { readonly type: 'recovered' }
  /** Without `why` it is well. */
  | { readonly type: 'answer'; readonly ask: number; readonly why?: string };
