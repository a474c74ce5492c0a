import type { Figure } from '../side-by-side/figures.js';
import { ours } from '../side-by-side/system.js';
import type { StoreName } from '../store.js';
import { figuresOf, notQuoted, originsOf, systemsOf, type Result } from './result.js';
import { ratioText, valueText } from './written-figure.js';

/** What the README says of a store between its marks: chart, tables, and where the figures are from. */
export function readmeBlock(result: Result): string {
  const systems = systemsOf(result);
  const figures = figuresOf(result).filter(isQuoted);
  const isOurs = ({ values }: Figure) => Object.keys(values).every((system) => system === ours);
  const compared = figures.filter((figure) => !isOurs(figure));
  const isPace = ({ unit }: Figure) => unit === 'tasks/s';
  const tables = [
    comparison('tasks per second, more is better', compared.filter(isPace), systems),
    comparison(
      'less is better',
      compared.filter((figure) => !isPace(figure)),
      systems,
    ),
    own(figures.filter(isOurs), compared.length > 0),
  ];
  return [
    `![${titleOf(result.store)}](docs/bench/${result.store}.svg)`,
    ...tables.filter((table) => table !== undefined),
    originsOf(result, notQuoted)
      .map((line) => `- ${line}`)
      .join('\n'),
    `Medians of the rounds; [\`docs/bench/${result.store}.json\`](docs/bench/${result.store}.json) has the lowest and the highest of each.`,
  ].join('\n\n');
}

export function titleOf(store: StoreName): string {
  return `Tasks per second on ${{ memory: 'memory', redis: 'Redis', postgres: 'PostgreSQL' }[store]}`;
}

/** The CPU time of each side apart is only in the full report. */
function isQuoted({ work, unit }: Figure): boolean {
  return unit !== 'CPU-s' || !/^(node|server), \d/.test(work) || work.startsWith('node, 10,000 tasks');
}

function comparison(
  title: string,
  figures: readonly Figure[],
  systems: readonly string[],
): string | undefined {
  if (figures.length === 0) return undefined;
  const shown = systems.filter((system) => figures.some(({ values }) => values[system] !== undefined));
  const peers = shown.filter((system) => system !== ours);
  const isOfOneUnit = figures.every(({ unit }) => unit === 'tasks/s');
  return table([
    [title, ...shown, ...peers.map((peer) => `to ${peer}`)],
    ...figures.map((figure) => [
      isOfOneUnit ? figure.work : worded(figure),
      ...shown.map((system) => valueText(figure.values[system], figure.unit)),
      ...peers.map((peer) => ratioText(figure, peer)),
    ]),
  ]);
}

function own(figures: readonly Figure[], isBesidePeers: boolean): string | undefined {
  if (figures.length === 0) return undefined;
  return table([
    [isBesidePeers ? 'nestjs-jobs alone' : 'work', ours],
    ...figures.map((figure) => [worded(figure), valueText(figure.values[ours], figure.unit)]),
  ]);
}

function worded({ work, unit }: Figure): string {
  return unit === 'share' ? work : `${work}, ${unit}`;
}

/** Laid out as the formatter would. */
function table([head, ...rows]: string[][]): string {
  const widths = head!.map((_, column) => Math.max(3, ...[head!, ...rows].map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head!), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
