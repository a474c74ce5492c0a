import { useServerNow, useTicks } from '../core/clock.js';
import { agoWords, clockWords, exactWords, spanWords } from '../core/words.js';

/** A moment as the reader thinks of it; pointing at it shows it exactly. */
export function Moment({ at, as = 'ago' }: { at: number | undefined; as?: 'ago' | 'clock' }) {
  const now = useServerNow();
  if (at === undefined) return <span class="faint">–</span>;
  return (
    <time dateTime={isoOf(at)} title={exactWords(at)}>
      {as === 'ago' ? agoWords(at, now) : clockWords(at, now)}
    </time>
  );
}

/** A span that goes on since the answer that told it. */
export function Elapsed({ ms, receivedAt }: { ms: number; receivedAt: number }) {
  const since = Math.max(useTicks() - receivedAt, 0);
  return <span class="num">{spanWords(ms + since)}</span>;
}

function isoOf(at: number): string | undefined {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
