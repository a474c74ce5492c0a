import { cpus, release } from 'node:os';
import type { Row } from '../campaign.js';
import type { Checked } from '../figures.js';
import type { BackendName } from '../stages/stage.js';

/** What is kept of a fault on a backend: of the latest campaign that tried it. */
export interface KeptRow {
  readonly fault: string;
  readonly backend: BackendName;
  readonly rounds: number;
  readonly failures: number;
  readonly seed: number;
  readonly tasks: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly extra: number;
  readonly lost: number;
  readonly recoveries: {
    readonly n: number;
    readonly p50?: number;
    readonly p99?: number;
    readonly max?: number;
  };
  /** Of the slowest round; missing where the throughput was not back at all. */
  readonly backMs?: number;
  readonly growth?: { readonly heapMb: number; readonly sockets: number };
  readonly stalledMs: number;
  readonly checked: Checked;
  readonly origin: Origin;
}

/** Where figures are from. */
export interface Origin {
  readonly date: string;
  readonly commit: string;
  readonly version: string;
  readonly node: string;
  readonly store: string;
  readonly machine: string;
}

export interface Result {
  readonly form: 'short' | 'middle' | 'long';
  readonly rows: readonly KeptRow[];
}

/** What was played so far; a fault that was not tried yet has no row. */
export function resultOf(
  form: Result['form'],
  rows: readonly Row[],
  origin: Pick<Origin, 'date' | 'commit' | 'version'>,
): Result {
  const machine = `${process.platform} ${release()}, ${cpus().length} cores`;
  const of = { ...origin, node: process.version, machine };
  return { form, rows: rows.filter(({ results }) => results.length > 0).map((row) => keptOf(row, of)) };
}

function keptOf({ fault, backend, seed, version, results }: Row, origin: Omit<Origin, 'store'>): KeptRow {
  const sum = (of: 'tasks' | 'acknowledged' | 'refused' | 'extra' | 'lost' | 'stalledMs') =>
    Math.round(results.reduce((total, result) => total + result[of], 0));
  const times = results.flatMap((result) => result.recoveries).sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(times[Math.min(Math.floor(share * times.length), times.length - 1)]!);
  const grown = results.flatMap(({ growth }) => (growth ? [growth] : []));
  const most = (of: 'heapMb' | 'sockets') => Math.round(10 * Math.max(...grown.map((one) => one[of]))) / 10;
  const backs = results.map(({ backMs }) => backMs ?? Infinity);
  return {
    ...{ fault, backend, seed, rounds: results.length },
    failures: results.filter(({ broken }) => broken.length > 0).length,
    ...{ tasks: sum('tasks'), acknowledged: sum('acknowledged'), refused: sum('refused') },
    ...{ extra: sum('extra'), lost: sum('lost'), stalledMs: sum('stalledMs') },
    recoveries: times.length === 0 ? { n: 0 } : { n: times.length, p50: at(0.5), p99: at(0.99), max: at(1) },
    ...(Math.max(...backs) < Infinity ? { backMs: Math.round(Math.max(...backs)) } : {}),
    ...(grown.length > 0 ? { growth: { heapMb: most('heapMb'), sockets: most('sockets') } } : {}),
    checked: addUp(results.map(({ checked }) => checked)),
    origin: { ...origin, store: version },
  };
}

export function addUp(all: readonly Checked[]): Checked {
  const sum: Record<string, number> = {};
  for (const one of all)
    for (const [what, count] of Object.entries(one)) sum[what] = (sum[what] ?? 0) + (count as number);
  return sum as unknown as Checked;
}

/** A row that was played again takes the place of its older one; in the order of the plan. */
export function merge(
  kept: Result,
  made: Result,
  order: readonly { fault: string; backend: string }[],
): Result {
  const nameOf = ({ fault, backend }: { fault: string; backend: string }) => `${fault} on ${backend}`;
  const all = new Map([...kept.rows, ...made.rows].map((row) => [nameOf(row), row]));
  return { form: made.form, rows: order.map(nameOf).flatMap((name) => all.get(name) ?? []) };
}
