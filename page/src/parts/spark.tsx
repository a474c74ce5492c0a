import type { Chart } from '../../../lib/dashboard/api.js';
import { many } from '../core/words.js';

const [width, height] = [120, 28];

/** A chart as large as a word: what succeeded, and what failed in red below it. */
export function Spark({ chart, over }: { chart: Chart; over: string }) {
  const length = chart.succeeded.length;
  const totals = chart.succeeded.map((count, at) => count + (chart.failed[at] ?? 0));
  const most = Math.max(1, ...totals);
  const step = width / Math.max(length, 1);
  const bars = (counts: readonly number[]) =>
    counts
      .map((count, at) => {
        const tall = count === 0 ? 0 : Math.max((count / most) * height, 1.5);
        return tall && `M${at * step} ${height}v${-tall}h${Math.max(step - 0.6, 0.8)}v${tall}z`;
      })
      .filter(Boolean)
      .join('');
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said(chart, over)}
    >
      <path class="spark-base" d={`M0 ${height - 0.5}h${width}`} />
      <path class="spark-good" d={bars(totals)} />
      <path class="spark-bad" d={bars(chart.failed)} />
    </svg>
  );
}

/** The same for whoever cannot see it. */
export function said({ succeeded, failed, dead }: Chart, over: string): string {
  return `${over}: ${many(sumOf(succeeded), 'run')} succeeded, ${many(sumOf(failed), 'attempt')} failed, ${many(sumOf(dead), 'task')} died`;
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
