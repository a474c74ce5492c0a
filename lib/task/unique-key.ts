import { hash } from 'node:crypto';
import { canonicalText, Indistinct } from './canonical.js';
import { InvalidOptionError } from './errors.js';
import { isPromise } from './realm.js';
import type { TaskLock } from './task-record.js';
import type { UniquePlan } from './unique-options.js';

/** What a task's key is made from. */
export interface UniqueSource {
  /** The job's stored name, unless its plan names a group. */
  readonly job: string;
  /** The class, for messages. */
  readonly where: string;
  /** As `run` will see them, defaults included: a param left out equals its default given. */
  readonly params: unknown;
  /** What the job declares them by: an instance of this class has no property where all were left out. */
  readonly type?: unknown;
  /** What `uniqueBy` of the job has answered, if it has such a method. */
  readonly uniqueBy?: { readonly value: unknown };
}

/** 132 bits: no two values of an application will ever share them. */
const keyLength = 22;

/** The lock of a task. Its key is hashed, so that params do not leak into key names. */
export function lockOf(plan: UniquePlan, source: UniqueSource): TaskLock {
  const scope = plan.group === undefined ? `job ${source.job}` : `group ${plan.group}`;
  const text = `${JSON.stringify(scope)}:${textOf(valueOf(plan, source), plan, source)}`;
  const { phase, onConflict, ttlMs, retryAfterMs } = plan;
  return {
    key: hash('sha256', text, 'base64url').slice(0, keyLength),
    phase,
    onConflict,
    ttlMs,
    retryAfterMs,
  };
}

/** What tasks are told apart by. Where it were the same for all, a misspelled name would make them one: that is refused. */
function valueOf({ by }: UniquePlan, { where, params, type, uniqueBy }: UniqueSource): unknown {
  const refuse = (option: string, value: unknown, expected: string): never => {
    throw new InvalidOptionError(where, option, value, expected);
  };
  if (uniqueBy)
    return isThere(uniqueBy.value) ? uniqueBy.value : refuse('uniqueBy', uniqueBy.value, answering);
  if (typeof by === 'function') {
    const value = by(params as never);
    if (isPromise(value)) {
      // Nobody else hears of its rejection, which would end the process.
      Promise.resolve(value).catch(() => undefined);
      return refuse('unique.by', by, 'a function that answers at once: the method `uniqueBy` may be async');
    }
    return isThere(value) ? value : refuse('unique.by', value, answering);
  }
  if (!by) return isEmpty(params, type) ? {} : params;
  const named = Object(params) as Record<string, unknown>;
  // Each in a list of its own, so that one that is left out differs from null.
  const values = by.map((name) => (isParam(named, name) ? [named[name]] : []));
  const isGiven = values.some(({ length }) => length > 0);
  return isGiven ? values : refuse('unique.by', by, 'names of params, one of which is given');
}

/** Also a getter of the params class, but nothing that every object has. */
function isParam(params: Record<string, unknown>, name: string): boolean {
  return isThere(params[name]) && (Object.hasOwn(params, name) || !(name in Object.prototype));
}

function isEmpty(params: unknown, type: unknown): boolean {
  const { constructor } = Object(params) as object;
  return constructor === type && Object.keys(params as object).length === 0;
}

const answering = 'a function that answers a value; null makes all tasks one';

function isThere(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function';
}

function textOf(value: unknown, { by }: UniquePlan, { where, uniqueBy }: UniqueSource): string {
  try {
    return canonicalText(value);
  } catch (error) {
    if (!(error instanceof Indistinct)) throw error;
    const expected = `such that tasks can be told apart: it has ${error.message} in it, which is like any other`;
    if (uniqueBy) throw new InvalidOptionError(where, 'uniqueBy', uniqueBy.value, expected);
    throw new InvalidOptionError(where, 'unique.by', by, expected);
  }
}
