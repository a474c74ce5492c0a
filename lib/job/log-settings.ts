import type { LogLevel } from '@nestjs/common';

/** What happens to a task and is worth a line, with the level of that line where nothing else is said. */
export const eventLevels = {
  enqueued: 'debug',
  started: 'log',
  succeeded: 'log',
  failed: 'warn',
  dead: 'error',
  snoozed: 'log',
  cancelled: 'log',
  rejected: 'warn',
  rescheduled: 'log',
  parked: 'warn',
  'handed-back': 'log',
  lost: 'warn',
} as const satisfies Record<string, LogLevel>;

export type LoggedEvent = keyof typeof eventLevels;

/**
 * How a line reaches the logger: as text, as one object with the text at `message` or `msg`, or as text with an object behind
 * it.
 */
export type LineShape = 'text' | 'message' | 'msg' | 'params';

export const severity: Readonly<Record<LogLevel, number>> = {
  verbose: 0,
  debug: 1,
  log: 2,
  warn: 3,
  error: 4,
  fatal: 5,
};

/** How lines about tasks are written: checked and complete. */
export interface LogSettings {
  readonly level: LogLevel;
  readonly levels: Readonly<Record<LoggedEvent, LogLevel | false>>;
  readonly shape: LineShape;
  readonly params: boolean;
}
