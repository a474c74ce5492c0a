import type { FailureGroup, FailureList } from '../../../lib/dashboard/api.js';

/** What several answers found, as if it were one: groups of the same job and error are one group. */
export function plusFailures(before: FailureList | undefined, more: FailureList): FailureList {
  if (!before) return more;
  const groups = new Map(before.groups.map((group) => [keyOf(group), group]));
  for (const group of more.groups) {
    const known = groups.get(keyOf(group));
    groups.set(keyOf(group), known ? plus(known, group) : group);
  }
  return {
    groups: [...groups.values()].sort((one, other) => other.count - one.count),
    count: before.count + more.count,
    isComplete: more.isComplete,
    next: more.next,
  };
}

function plus(one: FailureGroup, other: FailureGroup): FailureGroup {
  return {
    ...(one.lastAt >= other.lastAt ? one : other),
    count: one.count + other.count,
    queues: [...new Set([...one.queues, ...other.queues])],
    firstAt: Math.min(one.firstAt, other.firstAt),
  };
}

function keyOf({ job, error }: FailureGroup): string {
  return JSON.stringify([job, error]);
}
