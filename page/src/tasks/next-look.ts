import type { ApiFailure } from '../core/api-failure.js';

interface OnView {
  readonly pages: number;
  readonly failure?: Pick<ApiFailure, 'isPassing'>;
  readonly isMoreFailed?: boolean;
}

interface Circumstances {
  /** Something is selected: nothing moves under the reader's hands. */
  readonly isFast: boolean;
  /** It happened in queues that are not on view. */
  readonly isElsewhere: boolean;
  /** It is known that something happened, and not only that some time has passed. */
  readonly isTold: boolean;
  readonly isRested: boolean;
}

/** What a list does when what it shows may be out of date: load its first page or its next one, or say so. */
export function nextLook(
  { pages, failure, isMoreFailed = false }: OnView,
  { isFast, isElsewhere, isTold, isRested }: Circumstances,
): 'first' | 'more' | 'stale' | undefined {
  if (failure?.isPassing && isMoreFailed) return 'more';
  if (failure?.isPassing && !isFast) return 'first';
  if (isElsewhere) return undefined;
  if (!isFast && pages <= 1 && isRested) return 'first';
  return isTold ? 'stale' : undefined;
}
