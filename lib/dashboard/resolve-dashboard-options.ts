import { checkKeys } from '../task/check-keys.js';
import { toMs, type Duration } from '../task/duration.js';
import { InvalidOptionError } from '../task/errors.js';
import type { DashboardMount, DashboardSettings, TroubleBounds } from './dashboard-options.js';

export const where = 'JobsDashboardModule.forRoot';

const mountKeys = ['path', 'guards', 'imports'] satisfies (keyof DashboardMount)[];
const settingKeys = [
  'authorize',
  'user',
  'readOnly',
  'title',
  'troubles',
  'streams',
] satisfies (keyof DashboardSettings)[];

const fiveMinutesMs = 300_000;

export interface ResolvedMount extends Required<Pick<DashboardMount, 'guards' | 'imports'>> {
  /** Without slashes at its ends. */
  readonly path: string;
}

/** How the dashboard behaves, checked and complete. */
export interface ResolvedSettings extends Pick<DashboardSettings, 'authorize' | 'user'> {
  readonly readOnly: boolean;
  readonly title: string;
  readonly oldestWaitingMs: (queue: string) => number;
  readonly deadPerHour: number;
  readonly streams: number;
}

export function resolveMount(mount: DashboardMount): ResolvedMount {
  const { path = '/jobs', guards = [], imports = [] } = mount;
  if (typeof path !== 'string' || !/^(\/?[\w.~-]+)+\/?$/.test(path))
    refuse('path', path, "a path of plain segments, such as '/ops/jobs'");
  if (!Array.isArray(guards) || !guards.every(isGuard))
    refuse('guards', guards, 'a list of guard classes or guards');
  return { path: path.replace(/^\/|\/$/g, ''), guards, imports };
}

/** Stops at what is unknown or cannot mean anything; `mount` is what a factory cannot say. */
export function resolveSettings(options: DashboardSettings, mount: readonly string[] = []): ResolvedSettings {
  checkKeys(options, [...settingKeys, ...mount], where);
  const { authorize, user, readOnly = false, title = 'Jobs', troubles = {}, streams = 100 } = options;
  for (const [name, value] of Object.entries({ authorize, user }))
    if (value !== undefined && typeof value !== 'function') refuse(name, value, 'a function');
  if (typeof readOnly !== 'boolean') refuse('readOnly', readOnly, 'true or false');
  if (typeof title !== 'string' || title.length > 100)
    refuse('title', title, 'a text of at most 100 characters');
  if (!Number.isInteger(streams) || streams < 0) refuse('streams', streams, 'an integer from 0');
  return Object.freeze({ authorize, user, readOnly, title, streams, ...resolveTroubles(troubles) });
}

export function resolveAll(options: DashboardMount & DashboardSettings): ResolvedSettings {
  return resolveSettings(options, mountKeys);
}

function resolveTroubles(troubles: TroubleBounds) {
  checkKeys(troubles, ['oldestWaiting', 'deadPerHour'], where, 'troubles');
  const { oldestWaiting = fiveMinutesMs, deadPerHour = 10 } = troubles;
  if (!Number.isInteger(deadPerHour) || deadPerHour < 1)
    refuse('troubles.deadPerHour', deadPerHour, 'an integer from 1');
  return { deadPerHour, oldestWaitingMs: boundsOf(oldestWaiting) };
}

function boundsOf(bound: NonNullable<TroubleBounds['oldestWaiting']>): (queue: string) => number {
  const option = 'troubles.oldestWaiting';
  const ms = (value: Duration, of = option) => toMs(value, { where, option: of });
  if (typeof bound !== 'object' || bound === null) {
    const forAll = ms(bound);
    return () => forAll;
  }
  const named = new Map(Object.entries(bound).map(([queue, one]) => [queue, ms(one, `${option}.${queue}`)]));
  return (queue) => named.get(queue) ?? fiveMinutesMs;
}

function isGuard(guard: unknown): boolean {
  const { canActivate } = Object(guard) as { canActivate?: unknown };
  return typeof guard === 'function' || typeof canActivate === 'function';
}

function refuse(option: string, value: unknown, expected: string): never {
  throw new InvalidOptionError(where, option, value, expected);
}
