import { Logger, type LogLevel } from '@nestjs/common';
import { isError } from '../task/realm.js';

const severity: Record<LogLevel, number> = { verbose: 0, debug: 1, log: 2, warn: 3, error: 4, fatal: 5 };

/** Lines under a job's name through Nest's logger. A logger that throws harms nobody. */
export class JobsLog {
  private readonly least: number;
  private readonly loggers = new Map<string, Logger>();

  constructor(log: false | { readonly level: LogLevel }) {
    this.least = log === false ? Infinity : severity[log.level];
  }

  /** Whether lines of this level are written: ask before building one on a hot path. */
  writes(level: LogLevel): boolean {
    return severity[level] >= this.least;
  }

  write(level: LogLevel, context: string, message: string, error?: unknown): void {
    if (!this.writes(level)) return;
    try {
      const stack = isError(error) ? error.stack : undefined;
      const logger = this.logger(context);
      if (stack && (level === 'error' || level === 'fatal')) logger[level](message, stack);
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
