import type { Clock } from '../task/clock.js';
import { ShutdownError } from '../task/errors.js';
import type { Attempt } from './attempt.js';
import { TurningPoint } from './turning-point.js';

/** After the drain limit: success still counts, any throw is a hand-back. */
const graceMs = 1_000;
/** How long the last outcomes are offered to a store that does not answer. */
const lastOffersMs = 5_000;

export interface Draining {
  readonly running: ReadonlySet<Attempt>;
  /** Nothing runs any more. */
  readonly drained: TurningPoint;
  /** Every outcome is stored, and no claim is under way that could bring more. */
  readonly stored: TurningPoint;
  /** Outcomes that the store does not have yet. */
  readonly unstored: () => number;
  readonly shutdownTimeoutMs: number;
  readonly say: (level: 'warn' | 'error', message: string) => void;
}

/** Lets what runs come to its end, then hands it back; returns when the store knows of it all, or does not answer. */
export async function drain(draining: Draining): Promise<void> {
  const { running, drained, stored, unstored, shutdownTimeoutMs, say } = draining;
  if (!(await drained.within(shutdownTimeoutMs))) {
    say('warn', `${running.size} tasks did not end within the shutdown timeout and are handed back`);
    for (const attempt of running) attempt.stop(new ShutdownError('the process is shutting down'));
    if (!(await drained.within(graceMs))) for (const attempt of running) attempt.handBack();
  }
  if (!(await stored.within(lastOffersMs)) && unstored() > 0)
    say('error', `${unstored()} outcomes could not be stored: their leases will end`);
}

/** Waits for the answer to a last call, but not for good. */
export async function lastAnswer(
  clock: Clock,
  call: Promise<unknown>,
  withinMs = lastOffersMs,
): Promise<void> {
  let isAnswered = false;
  const answered = new TurningPoint(clock, () => isAnswered);
  void call
    .catch(() => undefined)
    .then(() => {
      isAnswered = true;
      answered.changed();
    });
  await answered.within(withinMs);
}
