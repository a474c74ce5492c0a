import type { Progress } from '../../../lib/dashboard/api.js';

export function ProgressBar({ progress, of }: { progress: Progress; of: string }) {
  const percent = Math.round(progress.percent);
  return (
    <span class="progress" title={progress.note}>
      <progress max={100} value={progress.percent} aria-label={`Progress of ${of}`} />
      <span class="num">{percent} %</span>
    </span>
  );
}
