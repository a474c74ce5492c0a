import { nameOf, type HistoryEvent } from '../history/history-event.js';
import { pointsReached, pointsWanted } from './faults/crash-points.js';
import { injectedIn } from './faults/happened.js';
import { lostIn } from './forgotten.js';
import { runsInVain } from './invariants/extra-runs-have-a-cause.js';
import { recoveriesIn } from './invariants/recovery-is-in-time.js';
import { backAfterMs } from './invariants/throughput-is-back.js';
import { growthIn } from './invariants/usage-is-back.js';
import { joined, lengthOf, stretchesOf } from './stretches.js';

/** How much of each kind the rules had to look at. */
export interface Checked {
  readonly 'enqueues acknowledged': number;
  readonly 'enqueues refused': number;
  readonly 'tasks listed': number;
  readonly claims: number;
  readonly runs: number;
  readonly 'outcomes taken': number;
  readonly 'outcomes of old epochs refused': number;
  readonly 'effects committed with their task': number;
  readonly 'delayed tasks': number;
  readonly 'slots fired': number;
  readonly 'slots passed over': number;
  readonly 'tasks of unique keys': number;
  readonly 'signals aborted': number;
  readonly 'processes stopped': number;
  readonly 'points of a crash reached': number;
  readonly 'points of a crash': number;
}

/** What is counted in a round. */
export interface Figures {
  readonly tasks: number;
  readonly acknowledged: number;
  readonly refused: number;
  /** Runs in vain: what they did was done again. */
  readonly extra: number;
  /** Acknowledged tasks that a store may lose, and has. */
  readonly lost: number;
  readonly recoveries: readonly number[];
  /** From the healing until nine tenths of the earlier throughput were there. */
  readonly backMs?: number;
  /** The most that a process has grown by which lived through it all; none did where it is missing. */
  readonly growth?: { readonly heapMb: number; readonly sockets: number };
  /** For how long the machine gave somebody no time. */
  readonly stalledMs: number;
  readonly checked: Checked;
}

export function figuresOf(history: readonly HistoryEvent[]): Figures {
  const count = (type: HistoryEvent['type']) => history.filter((event) => event.type === type).length;
  const acknowledged = history.filter(
    (event) => event.type === 'acknowledged' && event.status === 'enqueued',
  ).length;
  return {
    tasks: count('listed'),
    acknowledged,
    refused: count('refused'),
    extra: runsInVain(history).length,
    lost: lostIn(history),
    recoveries: recoveriesIn(history).map(({ ms }) => ms),
    backMs: backAfterMs(history),
    growth: growthIn(history),
    stalledMs: lengthOf(joined(stretchesOf(history, ['machine-stalled']))),
    checked: {
      'enqueues acknowledged': acknowledged,
      'enqueues refused': count('refused'),
      'tasks listed': count('listed'),
      claims: count('claimed'),
      runs: count('started'),
      'outcomes taken': count('settled'),
      'outcomes of old epochs refused': count('told-lost'),
      'effects committed with their task': sumOf(history, (event) =>
        event.type === 'listed' ? (event.rows ?? 0) : 0,
      ),
      'delayed tasks': sumOf(history, (event) =>
        event.type === 'enqueue' && event.inMs !== undefined ? 1 : 0,
      ),
      'slots fired': sumOf(history, (event) => (event.type === 'schedule' ? event.fired : 0)),
      'slots passed over': sumOf(history, (event) => (event.type === 'schedule' ? event.skipped : 0)),
      'tasks of unique keys': new Set(
        history.flatMap((event) =>
          event.type === 'enqueue' && event.key !== undefined ? [nameOf(event)] : [],
        ),
      ).size,
      'signals aborted': count('aborted'),
      'processes stopped': count('down'),
      'points of a crash reached': injectedIn(history, pointsReached),
      'points of a crash': injectedIn(history, pointsWanted),
    },
  };
}

function sumOf(history: readonly HistoryEvent[], of: (event: HistoryEvent) => number): number {
  return history.reduce((sum, event) => sum + of(event), 0);
}
