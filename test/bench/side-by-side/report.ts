import { printTable, thousands } from '../measure.js';
import { isMet, type Figure, type Goal } from './figures.js';
import { ours } from './system.js';

/** The figures as Markdown tables, and beside each what the project asked of itself. */
export function printReport(figures: readonly Figure[], systems: readonly string[]): void {
  const isPace = ({ unit }: Figure) => unit === 'tasks/s';
  const isCpu = ({ unit }: Figure) => unit === 'CPU-s';
  printSome('Tasks per second', figures.filter(isPace), systems);
  printSome('CPU-seconds', figures.filter(isCpu), systems);
  printSome(
    'Everything else',
    figures.filter((figure) => !isPace(figure) && !isCpu(figure)),
    systems,
  );
  const goals = figures.flatMap((figure) => (figure.goals ?? []).map((goal) => isMet(goal, figure)));
  const met = goals.filter((isMet) => isMet === true).length;
  console.log(`\n${met} of ${goals.filter((isMet) => isMet !== undefined).length} goals met`);
}

function printSome(title: string, figures: readonly Figure[], systems: readonly string[]): void {
  if (figures.length === 0) return;
  const peers = systems.filter((system) => system !== ours);
  const rows = figures.map((figure) => ({
    work: figures.some(({ unit }) => unit !== figures[0]!.unit)
      ? `${figure.work}, ${figure.unit}`
      : figure.work,
    ...Object.fromEntries(systems.map((system) => [system, valueText(figure, system)])),
    ...Object.fromEntries(peers.map((peer) => [`to ${peer}`, ratioText(figure, peer)])),
    asked: (figure.goals ?? []).map((goal) => goalText(goal, figure)).join('; '),
  }));
  printTable(`${title}: medians, in brackets the lowest and the highest round`, rows);
}

function valueText({ values, spread, unit }: Figure, system: string): string {
  const value = values[system];
  if (value === undefined || Number.isNaN(value)) return '–';
  const [low, high] = spread?.[system] ?? [value, value];
  const write = (['tasks/s', 'bytes', 'commands'] as Figure['unit'][]).includes(unit) ? thousands : decimal;
  return low === high ? write(value) : `${write(value)} (${write(low)} – ${write(high)})`;
}

function decimal(value: number): string {
  return value >= 100 ? thousands(value) : value.toFixed(value >= 10 ? 1 : 2);
}

function ratioText({ values }: Figure, to: string): string {
  const [mine, other] = [values[ours], values[to]];
  return mine === undefined || !other ? '–' : `${(mine / other).toFixed(2)}×`;
}

function goalText(goal: Goal, figure: Figure): string {
  const bound = goal.atLeast ?? goal.atMost ?? goal.below!;
  const sign = goal.atLeast !== undefined ? '≥' : goal.below !== undefined ? '<' : '≤';
  const size = goal.to ? `${Number(bound.toFixed(2))}× ${goal.to}` : decimal(bound);
  const verdict = isMet(goal, figure);
  return `${sign} ${size}: ${verdict === undefined ? 'not measured' : verdict ? 'met' : '**missed**'}`;
}
