import { ours } from './system.js';

/** One line of the report: the medians of all libraries that were measured. */
export interface Figure {
  readonly work: string;
  readonly unit:
    | 'tasks/s'
    | 'ms'
    | 'bytes'
    | 'CPU-s'
    | 'CPU-ms/s'
    | 'commands'
    | 'commands/s'
    | 'transactions/s'
    | 'share';
  readonly values: Readonly<Record<string, number>>;
  /** What the project set itself, if anything. */
  readonly goals?: readonly Goal[];
  /** Lowest and highest round of each. */
  readonly spread?: Readonly<Record<string, readonly [number, number]>>;
}

/** A bound for our figure, itself or as a share of another's. */
export interface Goal {
  readonly to?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly below?: number;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) * (percent / 100);
  const low = sorted[Math.floor(middle)]!;
  return low + (sorted[Math.ceil(middle)]! - low) * (middle % 1);
}

/** The figure of one kind of sample, from the rounds of each library. */
export function figureOf<S>(
  work: string,
  unit: Figure['unit'],
  samples: ReadonlyMap<string, readonly S[]>,
  read: (sample: S) => number,
  goals: readonly Goal[] = [],
): Figure {
  const each = [...samples].map(([system, all]) => [system, all.map(read)] as const);
  return {
    work,
    unit,
    goals,
    values: Object.fromEntries(each.map(([system, all]) => [system, median(all)])),
    spread: Object.fromEntries(each.map(([system, all]) => [system, [Math.min(...all), Math.max(...all)]])),
  };
}

/** A figure of ours alone, from its rounds. */
export function ownFigure(
  work: string,
  unit: Figure['unit'],
  rounds: readonly number[],
  goals: readonly Goal[] = [],
): Figure {
  return figureOf(work, unit, new Map([[ours, rounds]]), (value) => value, goals);
}

export function isMet(goal: Goal, { values }: Figure): boolean | undefined {
  const value = values[ours];
  const base = goal.to === undefined ? 1 : values[goal.to];
  if (value === undefined || base === undefined) return undefined;
  if (goal.atLeast !== undefined) return value >= goal.atLeast * base;
  if (goal.below !== undefined) return value < goal.below * base;
  return value <= goal.atMost! * base;
}
