import type { HistoryEvent } from '../history/history-event.js';
import { lostIn } from './forgotten.js';
import { runsInVain } from './invariants/extra-runs-have-a-cause.js';
import { recoveriesIn } from './invariants/recovery-is-in-time.js';

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
}

export function figuresOf(history: readonly HistoryEvent[]): Figures {
  const count = (type: HistoryEvent['type']) => history.filter((event) => event.type === type).length;
  return {
    tasks: count('listed'),
    acknowledged: history.filter((event) => event.type === 'acknowledged' && event.status === 'enqueued')
      .length,
    refused: count('refused'),
    extra: runsInVain(history).length,
    lost: lostIn(history),
    recoveries: recoveriesIn(history).map(({ ms }) => ms),
  };
}
