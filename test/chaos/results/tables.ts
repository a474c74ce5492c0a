import { shortPace, usualPace } from '../pace.js';
import { addUp, type KeptRow, type Result } from './result.js';

/** A campaign as Markdown, with what one needs to know to repeat it. */
export function tablesOf(result: Result): string {
  const { form, rows } = result;
  const { leaseMs, sweepMs, slackMs, workers, concurrency, enqueueEveryMs } =
    form === 'short' ? shortPace : usualPace;
  const rounds = rows.reduce((sum, row) => sum + row.rounds, 0);
  const failures = rows.reduce((sum, row) => sum + row.failures, 0);
  const origins = (of: (row: KeptRow) => string) => [...new Set(rows.map(of))].join('; ');
  const checked = Object.entries(addUp(rows.map((row) => row.checked)));
  return [
    `${failures === 0 ? 'Zero' : failures} failures in ${rounds} runs, ${form} form.`,
    table([headings, ...rows.map(cellsOf)]),
    `Recovery: from the death of a process, or from the first worker that came after it, to the next claim of what it held. Back: from the healing to 90 % of the throughput. Growth: heap in MB and sockets, of who grew most among those that lived through it. Stalls: for how long the machine kept some process or the server waiting.`,
    table([['checked in all', 'count'], ...checked.map(([what, count]) => [what, String(count)])]),
    [
      `- nestjs-jobs ${origins(({ origin }) => `${origin.version} (${origin.commit})`)}, played on ${origins(({ origin }) => origin.date)}`,
      `- Node ${origins(({ origin }) => origin.node)}; ${origins(({ origin }) => origin.store)}; ${origins(({ origin }) => origin.machine)}`,
      `- lease ${leaseMs} ms, sweep ${sweepMs} ms, ${slackMs} ms for requests on top; ${workers} workers with ${concurrency} slots each, one producer, an enqueue each ${enqueueEveryMs} ms`,
      ...lossesOf(rows),
    ].join('\n'),
  ].join('\n\n');
}

const headings = [
  ...['fault', 'backend', 'rounds', 'failures', 'tasks', 'acknowledged', 'refused', 'extra runs'],
  ...['recoveries', 'p50 / p99 / max ms', 'back after s', 'growth', 'stalls s', 'seed'],
];

function cellsOf(row: KeptRow): string[] {
  const { recoveries, backMs, growth, checked } = row;
  const points = checked['points of a crash'];
  const name = points > 0 ? `${row.fault} (${checked['points of a crash reached']}/${points})` : row.fault;
  const counts = [
    row.rounds,
    row.failures,
    row.tasks,
    row.acknowledged,
    row.refused,
    row.extra,
    recoveries.n,
  ];
  return [
    ...[name, row.backend, ...counts.map(String)],
    recoveries.n === 0 ? '–' : `${recoveries.p50} / ${recoveries.p99} / ${recoveries.max}`,
    backMs === undefined ? 'never' : (backMs / 1_000).toFixed(1),
    growth ? `${growth.heapMb} / ${growth.sockets}` : '–',
    ...[(row.stalledMs / 1_000).toFixed(1), String(row.seed)],
  ];
}

/** What a store that promises less may lose, counted. */
function lossesOf(rows: readonly KeptRow[]): string[] {
  return rows
    .filter(({ lost }) => lost > 0)
    .map(
      ({ fault, lost }) =>
        `- ${fault}: ${lost} acknowledged tasks of the last moments were lost, as the server may`,
    );
}

/** Laid out as the formatter would. */
function table([head, ...rows]: string[][]): string {
  const widths = head!.map((_, column) => Math.max(3, ...[head!, ...rows].map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head!), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
