import type { Figure } from '../side-by-side/figures.js';
import { ours } from '../side-by-side/system.js';
import { thousands } from '../table.js';

const wholeUnits: readonly Figure['unit'][] = ['tasks/s', 'bytes', 'commands'];

/** A figure's value as it is read. */
export function valueText(value: number | undefined, unit: Figure['unit']): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '–';
  return wholeUnits.includes(unit) || value >= 100 ? thousands(value) : value.toFixed(value >= 10 ? 1 : 2);
}

/** Ours as a multiple of another's. */
export function ratioText({ values }: Figure, to: string): string {
  const [mine, other] = [values[ours], values[to]];
  return mine === undefined || !other ? '–' : `${(mine / other).toFixed(2)}×`;
}
