import { checkKeys } from '../task/check-keys.js';
import { toMs, type Duration } from '../task/duration.js';
import { InvalidOptionError } from '../task/errors.js';

/**
 * `manual`: nothing runs by itself. `inline`: `enqueue` runs the task at once and rejects with what it throws. `real`: the
 * runner runs by itself, by the system's clock.
 */
export type TestingMode = 'manual' | 'inline' | 'real';

/** What `JobsTestingModule.forRoot` takes. */
export interface TestingOptions {
  /** @default 'manual' */
  mode?: TestingMode;
  /**
   * Where the virtual clock begins, a Date or milliseconds since the epoch.
   * @default the present
   */
  now?: Date | number;
  /**
   * Fake timers that follow the virtual clock: `jest` or `vi`, after its `useFakeTimers()`. Then `Date` and `setTimeout` in
   * handlers move along.
   * @default none: they are the system's
   */
  timers?: FakeTimers;
  /**
   * How long, in real time, the virtual clock waits for a handler that runs, before it takes it that the handler waits for
   * time to pass. Time in which the event loop is busy does not count; for a handler that has opened something, as a
   * connection or a real timer, it is four times as long.
   * @default '1s'
   */
  patience?: Duration;
  /**
   * How many runs `drain` makes, and `advance` without time passing, before they reject.
   * @default 10000
   */
  limit?: number;
  /**
   * Begins a transaction for handlers that call `task.transaction(work)`, and commits it when `work` resolves.
   * @default none: such a handler fails
   */
  transaction?: <R>(work: (transaction: never) => Promise<R>) => Promise<R>;
}

/** What `jest` and `vi` have in common here. */
export interface FakeTimers {
  advanceTimersByTime(ms: number): unknown;
}

/** Options as the parts use them: checked and complete. */
export interface ResolvedTesting {
  readonly mode: TestingMode;
  readonly startsAt: number | undefined;
  readonly timers: FakeTimers | undefined;
  readonly patienceMs: number;
  readonly limit: number;
  readonly transaction: TestingOptions['transaction'];
}

const where = 'JobsTestingModule.forRoot';
const modes: readonly unknown[] = ['manual', 'inline', 'real'] satisfies TestingMode[];
const known = [
  'mode',
  'now',
  'timers',
  'patience',
  'limit',
  'transaction',
] as const satisfies readonly (keyof TestingOptions)[];

export function resolveTesting(options: TestingOptions = {}): ResolvedTesting {
  checkKeys(options, known, where);
  const { mode = 'manual', now, timers, patience = '1s', limit = 10_000, transaction } = options;
  const check = (option: string, value: unknown, isGood: boolean, expected: string) => {
    if (value !== undefined && !isGood) throw new InvalidOptionError(where, option, value, expected);
  };
  const startsAt = now === undefined ? undefined : new Date(now).getTime();
  check('mode', mode, modes.includes(mode), "'manual', 'inline' or 'real'");
  check('now', now, !Number.isNaN(startsAt), 'a valid Date or milliseconds since the epoch');
  check('timers', timers, typeof timers?.advanceTimersByTime === 'function', '`jest` or `vi`');
  check('limit', limit, Number.isInteger(limit) && limit > 0, 'a number of runs above 0');
  check('transaction', transaction, typeof transaction === 'function', 'a function of the work to be done');
  for (const [option, value] of Object.entries({ now, timers }))
    check(option, value, mode !== 'real', "left out in mode 'real', which has the system's clock");
  return {
    mode,
    startsAt,
    timers,
    patienceMs: toMs(patience, { where, option: 'patience' }),
    limit,
    transaction,
  };
}
