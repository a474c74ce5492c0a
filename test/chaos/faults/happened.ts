import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import { recoveriesIn } from '../invariants/recovery-is-in-time.js';

/** Says why a history shows nothing of a fault; undefined where it does show it. */
export type Happened = (history: readonly HistoryEvent[]) => string | undefined;

/** All of these, in order. */
export function all(...signs: readonly Happened[]): Happened {
  return (history) => signs.map((sign) => sign(history)).find((why) => why !== undefined);
}

/** The fault counted so many of these. */
export function injected(what: string, least = 1): Happened {
  return (history) => {
    const count = injectedIn(history, what);
    return count < least ? `${what}: ${count}, not ${least}` : undefined;
  };
}

export function injectedIn(history: readonly HistoryEvent[], what: string): number {
  return history.reduce(
    (sum, event) => (event.type === 'injected' && event.what === what ? sum + event.count : sum),
    0,
  );
}

/** At least so many of these events happened. */
export function some(
  name: string,
  isOne: (event: HistoryEvent, history: readonly HistoryEvent[]) => boolean,
  least = 1,
): Happened {
  return (history) => {
    const count = history.filter((event) => isOne(event, history)).length;
    return count < least ? `${name}: ${count}, not ${least}` : undefined;
  };
}

export const wasRefused = some('enqueues that were refused', ({ type }) => type === 'refused');

/** Somebody died over a run, and another has it. */
export const wasRecovered: Happened = (history) =>
  recoveriesIn(history).length === 0 ? 'no run of a process that died was taken over' : undefined;

/** A run lost its lease while its process lived: another has its task, or its handler was told. */
export const lostItsLease: Happened = (history) => {
  const running = new Map<string, string>();
  for (const event of history) {
    if (event.type === 'aborted') return undefined;
    if (event.type === 'started') running.set(nameOf(event), event.process);
    if (event.type === 'settled') running.delete(nameOf(event));
    const holder = event.type === 'claimed' ? running.get(nameOf(event)) : undefined;
    if (event.type === 'claimed' && holder !== undefined && holder !== event.process) return undefined;
  }
  return 'no run lost its lease';
};
