import { cpus, release } from 'node:os';
import type { Row } from './campaign.js';
import { shortPace, usualPace } from './pace.js';

/** The table of a campaign, as Markdown, with what one needs to know to repeat it. */
export function reportOf(rows: readonly Row[], form: 'short' | 'middle' | 'long', seed: number): string {
  const { leaseMs, sweepMs, workers, concurrency } = form === 'short' ? shortPace : usualPace;
  const results = rows.flatMap((row) => row.results);
  const failures = results.filter(({ broken }) => broken.length > 0).length;
  const stores = [...new Set(rows.map(({ version }) => version))].join('; ');
  return [
    `${failures === 0 ? 'Zero' : failures} failures in ${results.length} runs, from seed ${seed}.`,
    '',
    '| fault | backend | rounds | failures | tasks | acknowledged | refused | extra runs | recovery p50 / p99 / max | seed |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...rows.map(lineOf),
    '',
    `Node ${process.version}, ${stores}; Linux ${release()}, ${cpus().length} cores.`.replace(
      'Linux',
      process.platform === 'linux' ? 'Linux' : process.platform,
    ),
    `Lease ${leaseMs} ms, sweep ${sweepMs} ms, ${workers} workers with ${concurrency} slots each, one producer.`,
    ...lossesOf(rows),
    '',
  ].join('\n');
}

function lineOf({ fault, backend, seed, results }: Row): string {
  const sum = (of: 'tasks' | 'acknowledged' | 'refused' | 'extra') =>
    results.reduce((total, result) => total + result[of], 0);
  const failures = results.filter(({ broken }) => broken.length > 0).length;
  const recoveries = results.flatMap((result) => result.recoveries).sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(recoveries[Math.min(Math.floor(share * recoveries.length), recoveries.length - 1)]!);
  const times = recoveries.length === 0 ? '–' : `${at(0.5)} / ${at(0.99)} / ${at(1)} ms`;
  const counts = [results.length, failures, sum('tasks'), sum('acknowledged'), sum('refused'), sum('extra')];
  return `| ${[fault, backend, ...counts, times, seed].join(' | ')} |`;
}

/** What a store that promises less may lose, counted. */
function lossesOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ fault, results }) => {
    const lost = results.reduce((total, result) => total + result.lost, 0);
    return lost === 0
      ? []
      : [`${fault}: ${lost} acknowledged tasks of the last moments were lost, as the server may.`];
  });
}
