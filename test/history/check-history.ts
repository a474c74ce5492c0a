import { acknowledgedIsKept } from './invariants/acknowledged-is-kept.js';
import { attemptsAreCounted } from './invariants/attempts-are-counted.js';
import { calmLeasesAreKept } from './invariants/calm-leases-are-kept.js';
import { drainsEnd } from './invariants/drains-end.js';
import { extraRunsAreExcused } from './invariants/extra-runs-are-excused.js';
import { locksHaveHolders } from './invariants/locks-have-holders.js';
import { oldEpochsAreRefused } from './invariants/old-epochs-are-refused.js';
import { oneHolderAtOnce } from './invariants/one-holder-at-once.js';
import { oneStatePerTask } from './invariants/one-state-per-task.js';
import { oneTaskPerSlot } from './invariants/one-task-per-slot.js';
import { prioritiesAreRespected } from './invariants/priorities-are-respected.js';
import { restIsReached } from './invariants/rest-is-reached.js';
import { signalsAbortInTime } from './invariants/signals-abort-in-time.js';
import { slotsAreNotExceeded } from './invariants/slots-are-not-exceeded.js';
import { takenIsNotCalledLost } from './invariants/taken-is-not-called-lost.js';
import { unsentIsNotStored } from './invariants/unsent-is-not-stored.js';
import type { HistoryEvent } from './history-event.js';
import type { Invariant, Violation } from './violation.js';

const invariants = {
  'no acknowledged enqueue is lost': acknowledgedIsKept,
  'what was refused unsent is not stored': unsentIsNotStored,
  'every task is in exactly one state': oneStatePerTask,
  'no write is taken from an old epoch': oldEpochsAreRefused,
  'every extra run has a death or a lost lease behind it': extraRunsAreExcused,
  'attempts stay within retries + 1': attemptsAreCounted,
  'no process runs more than its slots': slotsAreNotExceeded,
  'a signal aborts before its lease ends': signalsAbortInTime,
  'what was taken is not called lost': takenIsNotCalledLost,
  'after healing no lease is lost': calmLeasesAreKept,
  'a slot has one task': oneTaskPerSlot,
  'a lock has a holder in its phase': locksHaveHolders,
  'a unique key has one holder at once': oneHolderAtOnce,
  'a claim takes the best first': prioritiesAreRespected,
  'after healing all comes to rest': restIsReached,
  'a drain ends in time': drainsEnd,
} satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof invariants;

/** What a history breaks; nothing, if all is well. Knows nothing of how the history came about. */
export function checkHistory(history: readonly HistoryEvent[]): Violation[] {
  const violations: Violation[] = [];
  for (const [invariant, check] of Object.entries(invariants))
    check(history, (event, what) =>
      violations.push({ invariant, what, line: event ? history.indexOf(event) + 1 : 0 }),
    );
  return violations;
}
