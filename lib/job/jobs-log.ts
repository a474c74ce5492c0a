import { Logger, type LogLevel } from '@nestjs/common';
import type { StoredError } from '../task/outcome.js';
import { isError } from '../task/realm.js';
import { storedError } from '../task/stored-error.js';
import { eventLevels, severity, type LoggedEvent, type LogSettings } from './log-settings.js';

/** What a line says, for whoever reads lines by machine. */
export type LogFields = object;

const asText = { levels: eventLevels, shape: 'text', params: false } as const;

/** Lines under a job's name through Nest's logger. A logger that throws harms nobody. */
export class JobsLog {
  /** Whether lines may hold params. */
  readonly showsParams: boolean;
  /** Whether anybody sees the fields of a line. */
  readonly isStructured: boolean;
  private readonly settings: LogSettings;
  private readonly least: number;
  private readonly loggers = new Map<string, Logger>();

  constructor(log: false | (Pick<LogSettings, 'level'> & Partial<LogSettings>)) {
    this.settings = { level: 'log', ...asText, ...log };
    this.showsParams = this.settings.params;
    this.isStructured = this.settings.shape !== 'text';
    this.least = log === false ? Infinity : severity[log.level];
  }

  /** Whether lines of this level are written: ask before building one on a hot path. */
  writes(level: LogLevel): boolean {
    return severity[level] >= this.least;
  }

  /** Whether a line about this is written: ask before building one on a hot path. */
  tells(event: LoggedEvent): boolean {
    const level = this.settings.levels[event];
    return level !== false && this.writes(level);
  }

  /** The line about something that happened to a task. */
  tell(event: LoggedEvent, context: string, message: string, fields: LogFields, error?: StoredError): void {
    const level = this.settings.levels[event];
    if (level === false) return;
    this.write(level, context, message, error, this.isStructured ? { event, ...fields } : undefined);
  }

  /** Without fields a line is text in any case. */
  write(level: LogLevel, context: string, message: string, error?: unknown, fields?: LogFields): void {
    if (!this.writes(level)) return;
    try {
      const logger = this.logger(context);
      const { shape } = this.settings;
      const told = error === undefined || isStored(error) ? error : storedError(error);
      if (fields && shape !== 'text') {
        const record = told ? { ...fields, error: told } : fields;
        if (shape === 'params') logger[level](message, record);
        else logger[level]({ [shape]: message, ...record });
      } else if (told?.stack && (level === 'error' || level === 'fatal')) logger[level](message, told.stack);
      else logger[level](message);
    } catch {
      // There is nowhere left to say it.
    }
  }

  private logger(context: string): Logger {
    let logger = this.loggers.get(context);
    if (!logger) this.loggers.set(context, (logger = new Logger(context)));
    return logger;
  }
}

function isStored(error: unknown): error is StoredError {
  return !isError(error) && typeof (error as Partial<StoredError> | null)?.message === 'string';
}
