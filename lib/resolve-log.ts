import type { LogLevel } from '@nestjs/common';
import { eventLevels, severity, type LoggedEvent, type LogSettings } from './job/log-settings.js';
import { defaultOptions, type JobsOptions, type LogOptions } from './jobs.options.js';
import { checkKeys } from './task/check-keys.js';
import { InvalidOptionError } from './task/errors.js';

const where = 'JobsModule.forRoot';
const shapes = { true: 'message', false: 'text', message: 'message', msg: 'msg', params: 'params' } as const;

export function resolveLog(log: NonNullable<JobsOptions['log']>): false | LogSettings {
  if (log === false) return false;
  checkKeys(log, ['level', 'levels', 'structured', 'params'], where, 'log');
  const { level = defaultOptions.log.level, structured = false, params = false } = log;
  checkLevel('log.level', level);
  if (typeof params !== 'boolean') refuse('log.params', params, 'true or false');
  const shape = Object.hasOwn(shapes, String(structured)) ? shapes[`${structured}`] : undefined;
  if (!shape) refuse('log.structured', structured, "true, false, 'message', 'msg' or 'params'");
  return Object.freeze({ level, levels: resolveLevels(log.levels ?? {}), shape, params });
}

function resolveLevels(levels: NonNullable<LogOptions['levels']>): LogSettings['levels'] {
  checkKeys(levels, Object.keys(eventLevels), where, 'log.levels');
  const chosen: Record<LoggedEvent, LogLevel | false> = { ...eventLevels };
  for (const [event, level] of Object.entries(levels)) {
    if (level === undefined) continue;
    if (level !== false) checkLevel(`log.levels.${event}`, level);
    chosen[event as LoggedEvent] = level;
  }
  return Object.freeze(chosen);
}

function checkLevel(option: string, level: unknown): void {
  if (typeof level !== 'string' || !Object.hasOwn(severity, level))
    refuse(option, level, Object.keys(severity).join(', '));
}

function refuse(option: string, value: unknown, expected: string): never {
  throw new InvalidOptionError(where, option, value, expected);
}
