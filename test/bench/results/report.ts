import { figuresOf, originsOf, systemsOf, type Result } from './result.js';
import { ratioText, valueText } from './written-figure.js';
import { printTable } from '../table.js';
import { isMet, type Figure, type Goal } from '../side-by-side/figures.js';
import { ours } from '../side-by-side/system.js';

/** All figures of a store as Markdown tables, and beside each what the project asked of itself. */
export function printResult(result: Result): void {
  const figures = figuresOf(result);
  const systems = systemsOf(result);
  console.log(`\n## ${result.store}\n`);
  for (const origin of originsOf(result)) console.log(`- ${origin}`);
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
    ...Object.fromEntries(systems.map((system) => [system, spreadText(figure, system)])),
    ...Object.fromEntries(peers.map((peer) => [`to ${peer}`, ratioText(figure, peer)])),
    asked: (figure.goals ?? []).map((goal) => goalText(goal, figure)).join('; '),
  }));
  printTable(`${title}: medians, in brackets the lowest and the highest round`, rows);
}

function spreadText({ values, spread, unit }: Figure, system: string): string {
  const value = values[system];
  const [low, high] = spread?.[system] ?? [value, value];
  const text = valueText(value, unit);
  return low === high ? text : `${text} (${valueText(low, unit)} – ${valueText(high, unit)})`;
}

function goalText(goal: Goal, figure: Figure): string {
  const bound = goal.atLeast ?? goal.atMost ?? goal.below!;
  const sign = goal.atLeast !== undefined ? '≥' : goal.below !== undefined ? '<' : '≤';
  const size = goal.to ? `${Number(bound.toFixed(2))}× ${goal.to}` : valueText(bound, figure.unit);
  const verdict = isMet(goal, figure);
  return `${sign} ${size}: ${verdict === undefined ? 'not measured' : verdict ? 'met' : '**missed**'}`;
}
