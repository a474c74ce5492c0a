import { useTicking } from '../core/clock.js';
import { usePage } from '../core/page-parts.js';
import { agoWords, clockWords, exactWords, spanWords } from '../core/words.js';

/** A moment as the reader thinks of it; pointing at it shows it exactly. */
export function Moment({ at, as = 'ago' }: { at: number | undefined; as?: 'ago' | 'clock' }) {
  const { aheadMs } = usePage();
  const wordsAt = as === 'ago' ? agoWords : clockWords;
  // What is compared with a moment of the server's is the server's time.
  const words = useTicking((now) => (at === undefined ? '–' : wordsAt(at, now + aheadMs)));
  if (at === undefined) return <span class="faint">{words}</span>;
  return (
    <time dateTime={isoOf(at)} title={exactWords(at)}>
      {words}
    </time>
  );
}

/** A span that goes on since the answer that told it. */
export function Elapsed({ ms, receivedAt }: { ms: number; receivedAt: number }) {
  const words = useTicking((now) => spanWords(ms + Math.max(now - receivedAt, 0)));
  return <span class="num">{words}</span>;
}

function isoOf(at: number): string | undefined {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
