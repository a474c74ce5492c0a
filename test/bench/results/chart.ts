import { ours, raw } from '../side-by-side/system.js';
import type { Figure } from '../side-by-side/figures.js';
import { titleOf } from './readme-tables.js';
import { figuresOf, notQuoted, originsOf, systemsOf, type Result } from './result.js';
import { Drawing, wrapped } from './svg.js';
import { valueText } from './written-figure.js';

interface Bar {
  readonly name: string;
  readonly look: 'ours' | 'peer' | 'raw';
  readonly value: number;
  readonly spread: readonly [number, number];
}

interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const width = 860;
const margin = 20;
const gap = 28;
const barHeight = 14;
const barStep = 19;
const titleHeight = 22;
const footStep = 15;

/** Tasks per second: a panel for each work with a bar for each library, or one panel where there are no others. */
export function chartOf(result: Result): string {
  // What runs of a given load is no pace.
  const figures = figuresOf(result).filter(
    ({ work, unit }) => unit === 'tasks/s' && /^(process|enqueue)/.test(work),
  );
  const systems = systemsOf(result);
  const compared = figures.filter(({ values }) => Object.keys(values).length > 1);
  const isAlone = compared.length === 0;
  const panels = isAlone ? [alone(figures)] : compared.map((figure) => beside(figure, systems));
  const columns = isAlone ? 1 : 2;
  const drawing = new Drawing(width, titleOf(result.store));
  drawing.text(margin, 32, titleOf(result.store), 'title');
  drawing.text(
    margin,
    50,
    `${isAlone ? 'Median' : 'Median of each, the fastest of each panel as wide as can be'}; the line over a bar goes from the lowest to the highest round.`,
    'note',
  );
  const panelWidth = (width - 2 * margin - gap * (columns - 1)) / columns;
  let top = 72;
  for (let first = 0; first < panels.length; first += columns) {
    const row = panels.slice(first, first + columns);
    row.forEach((panel, column) =>
      draw(drawing, panel, margin + column * (panelWidth + gap), top, panelWidth, isAlone ? 330 : 104),
    );
    top += titleHeight + Math.max(...row.map(({ bars }) => bars.length)) * barStep + 14;
  }
  for (const line of originsOf(result, notQuoted).flatMap((origin) => wrapped(origin, 132))) {
    drawing.text(margin, top + 8, line, 'note');
    top += footStep;
  }
  return drawing.end(top + margin);
}

function beside({ work, values, spread }: Figure, systems: readonly string[]): Panel {
  const bars = systems.flatMap((name): Bar[] => {
    const value = values[name];
    if (!isDrawable(value)) return [];
    const look = name === ours ? 'ours' : name === raw ? 'raw' : 'peer';
    return [{ name, look, value, spread: spread?.[name] ?? [value, value] }];
  });
  return { title: work, bars };
}

function alone(figures: readonly Figure[]): Panel {
  const bars = figures.flatMap(({ work, values, spread }): Bar[] => {
    const value = values[ours];
    return isDrawable(value)
      ? [{ name: work, look: 'ours', value, spread: spread?.[ours] ?? [value, value] }]
      : [];
  });
  return { title: ours, bars };
}

function isDrawable(value: number | undefined | null): value is number {
  return value !== undefined && value !== null && Number.isFinite(value);
}

function draw(
  drawing: Drawing,
  { title, bars }: Panel,
  left: number,
  top: number,
  width: number,
  names: number,
) {
  const values = 66;
  const longest = Math.max(...bars.flatMap(({ value, spread }) => [value, spread[1]]), 1e-9);
  const scale = (width - names - values) / longest;
  drawing.text(left, top + 12, title, 'work');
  bars.forEach(({ name, look, value, spread: [low, high] }, index) => {
    const y = top + titleHeight + index * barStep;
    const middle = y + barHeight / 2;
    drawing.text(left, middle + 4, name, look === 'ours' ? 'own' : 'name');
    drawing.rect(left + names, y, value * scale, barHeight, look);
    if (high > low) drawing.line(left + names + low * scale, left + names + high * scale, middle);
    drawing.text(
      left + names + Math.max(value, high) * scale + 6,
      middle + 4,
      valueText(value, 'tasks/s'),
      'value',
    );
  });
}
