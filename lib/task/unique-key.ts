import { createHash } from 'node:crypto';
import { canonicalText } from './canonical.js';
import { InvalidOptionError } from './errors.js';
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
  /** What `uniqueBy` of the job has answered, if it has such a method. */
  readonly uniqueBy?: { readonly value: unknown };
}

/** The lock of a task. Its key is hashed, so that params do not leak into key names. */
export function lockOf(plan: UniquePlan, source: UniqueSource): TaskLock {
  const scope = plan.group === undefined ? ['job', source.job] : ['group', plan.group];
  const text = canonicalText([...scope, valueOf(plan, source)]);
  const { phase, onConflict, ttlMs, retryAfterMs } = plan;
  return {
    key: createHash('sha256').update(text).digest('base64url'),
    phase,
    onConflict,
    ttlMs,
    retryAfterMs,
  };
}

function valueOf({ by }: UniquePlan, { where, params, uniqueBy }: UniqueSource): unknown {
  if (uniqueBy) return given(uniqueBy.value, where, 'uniqueBy');
  if (typeof by === 'function') return given(by(params as never), where, 'unique.by');
  if (!by) return params;
  const named = Object(params) as Record<string, unknown>;
  return by.map((name) => named[name]);
}

/** A misspelled property would make all tasks the same. */
function given(value: unknown, where: string, option: string): unknown {
  if (value === undefined)
    throw new InvalidOptionError(where, option, value, 'a function that answers something');
  return value;
}
