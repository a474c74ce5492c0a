import type { HistoryEvent } from '../history/history-event.js';
import { drainsEnd } from '../history/invariants/drains-end.js';
import { oneStatePerTask } from '../history/invariants/one-state-per-task.js';
import { oneTaskPerSlot } from '../history/invariants/one-task-per-slot.js';
import { restIsReached } from '../history/invariants/rest-is-reached.js';
import { slotsAreNotExceeded } from '../history/invariants/slots-are-not-exceeded.js';
import { unsentIsNotStored } from '../history/invariants/unsent-is-not-stored.js';
import type { Invariant } from '../history/violation.js';
import { remembered } from './forgotten.js';
import { acknowledgedIsListed } from './invariants/acknowledged-is-listed.js';
import { attemptsAreKept } from './invariants/attempts-are-kept.js';
import { committedOnce } from './invariants/committed-once.js';
import { countsAgree } from './invariants/counts-agree.js';
import { endsAreEarned } from './invariants/ends-are-earned.js';
import { everyoneGoesOn } from './invariants/everyone-goes-on.js';
import { extraRunsHaveACause } from './invariants/extra-runs-have-a-cause.js';
import { keysRunAlone } from './invariants/keys-run-alone.js';
import { locksHaveTasks } from './invariants/locks-have-tasks.js';
import { nobodyEndsByItself } from './invariants/nobody-ends-by-itself.js';
import { nothingIsEarly } from './invariants/nothing-is-early.js';
import { nothingVanishes } from './invariants/nothing-vanishes.js';
import { oldEpochsLose } from './invariants/old-epochs-lose.js';
import { parkedIsUnreadable } from './invariants/parked-is-unreadable.js';
import { recoveryIsInTime } from './invariants/recovery-is-in-time.js';
import { signalsComeFirst } from './invariants/signals-come-first.js';
import { slotsAreNotSkipped } from './invariants/slots-are-not-skipped.js';
import { throughputIsBack } from './invariants/throughput-is-back.js';
import { usageIsBack } from './invariants/usage-is-back.js';

/** What the simulation asks, too, of a store that it sees through. */
const shared = {
  'what was refused unsent is not stored': unsentIsNotStored,
  'every task is in exactly one state': oneStatePerTask,
  'no process runs more than its slots': slotsAreNotExceeded,
  'a slot has one task': oneTaskPerSlot,
  'after healing all comes to rest': restIsReached,
  'a drain ends in time': drainsEnd,
} satisfies Record<string, Invariant>;

/** What only requests, answers and the store at rest tell of. */
const own = {
  'no acknowledged enqueue is lost': acknowledgedIsListed,
  'what was claimed does not vanish': nothingVanishes,
  'a success has been done, and only poison is dead': endsAreEarned,
  'nothing runs before its time': nothingIsEarly,
  'slots are passed over only where nobody could fire them': slotsAreNotSkipped,
  'after healing every worker and the schedule go on': everyoneGoesOn,
  'what is counted is what is listed': countsAgree,
  'no write of an old epoch is taken': oldEpochsLose,
  'extra runs have a cause, and are no more than the slots lost': extraRunsHaveACause,
  'no run goes beyond its retries': attemptsAreKept,
  'an effect that commits with its task is there once': committedOnce,
  'recovery takes a lease and a sweep': recoveryIsInTime,
  'no lock is without its task': locksHaveTasks,
  'tasks of one key run one at a time': keysRunAlone,
  'a signal comes before the takeover': signalsComeFirst,
  'only what is unreadable is parked': parkedIsUnreadable,
  'throughput is back': throughputIsBack,
  'no process ends or hangs by itself': nobodyEndsByItself,
  'memory and sockets are back': usageIsBack,
} satisfies Record<string, Invariant>;

export type OwnInvariant = keyof typeof own;
export type RoundInvariant = OwnInvariant | keyof typeof shared;

/** What the history of a round breaks; nothing, if all is well. */
export function checkRound(
  history: readonly HistoryEvent[],
): { invariant: RoundInvariant; what: string; line: number }[] {
  const known = remembered(history);
  return Object.entries({ ...shared, ...own }).flatMap(([invariant, check]) => {
    const found: { invariant: RoundInvariant; what: string; line: number }[] = [];
    check(known, (event, what) => {
      const line = event ? history.indexOf(event) + 1 : 0;
      found.push({ invariant: invariant as RoundInvariant, what, line });
    });
    return found;
  });
}
