import type { HistoryEvent } from './history-event.js';

export type Told = HistoryEvent extends infer E ? (E extends { at: number } ? Omit<E, 'at'> : never) : never;

type Of<Type extends Told['type']> = Extract<Told, { type: Type }>;

/** A history with a moment between its events. */
export function told(...events: Told[]): HistoryEvent[] {
  return events.map((event, index) => ({ at: 10 * (index + 1), ...event }) as HistoryEvent);
}

export const t = { queue: 'q', id: 't' };
export const u = { queue: 'q', id: 'u' };
export const up: Told = { type: 'up', process: 'p', concurrency: 2 };
export const died: Told = { type: 'died', process: 'p' };
export const stored: Of<'stored'> = { type: 'stored', ...t, state: 'waiting', priority: 0, retries: 1 };
export const claimed = (epoch: number, attempt: number, of = t): Of<'claimed'> => ({
  type: 'claimed',
  ...of,
  process: 'p',
  epoch,
  attempt,
  priority: 0,
});
export const run = (type: 'started' | 'effect' | 'ended', epoch: number, attempt: number, of = t): Told => ({
  type,
  ...of,
  process: 'p',
  epoch,
  attempt,
});
export const succeeded = (epoch: number, of = t): Of<'settled'> => ({
  type: 'settled',
  ...of,
  process: 'p',
  epoch,
  outcome: 'succeeded',
  state: 'gone',
});
export const failed = (epoch: number, state: 'scheduled' | 'dead'): Of<'settled'> => ({
  ...succeeded(epoch),
  outcome: state === 'dead' ? 'dead' : 'retry',
  state,
});
export const offered = (epoch: number): Told => ({
  type: 'offered',
  ...t,
  process: 'p',
  epoch,
  attempt: 1,
  outcome: 'retry',
});
export const aborted: Told = { type: 'aborted', ...t, process: 'p', epoch: 1, attempt: 1 };
export const moved = (state: 'waiting' | 'cancelled' | 'dead' | 'gone', of = t): Told => ({
  type: 'moved',
  ...of,
  state,
});
export const leaseEnded = (epoch: number): Told => ({ type: 'lease-ended', ...t, epoch });

const lock = (phase: 'while_executing' | 'until_completed' | 'until_executing' | 'until_executed') => ({
  key: 'k',
  phase,
});
export const unique = (phase: Parameters<typeof lock>[0], of = t): Told => ({
  ...stored,
  ...of,
  lock: lock(phase),
});
export const held = (holder: string): Told => ({ type: 'locks', queue: 'q', held: [{ key: 'k', holder }] });
