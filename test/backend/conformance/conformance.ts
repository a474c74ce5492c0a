import { describe } from '@jest/globals';
import { describeAdd } from './add.js';
import { describeBell } from './bell.js';
import { describeCancel } from './cancel.js';
import { describeCatalog } from './catalog.js';
import { describeClaim } from './claim.js';
import { describeClaimBetweenQueues } from './claim-between-queues.js';
import { describeExpiryAndRetention } from './expiry-and-retention.js';
import { describeFencingAndRepeats } from './fencing-and-repeats.js';
import { describeIdsAndReplace } from './ids-and-replace.js';
import { describeLeasesAndRecovery } from './leases-and-recovery.js';
import { describeLockConflicts } from './lock-conflicts.js';
import { describeLockPhases } from './lock-phases.js';
import { describeLockTimeToLive } from './lock-time-to-live.js';
import { describeLocks } from './locks.js';
import { describeNextLook } from './next-look.js';
import { describePark } from './park.js';
import { describePause } from './pause.js';
import { describeSchedules } from './schedules.js';
import { describeSchedulesAdvance } from './schedules-advance.js';
import { describeSchedulesBell } from './schedules-bell.js';
import { describeSchedulesDue } from './schedules-due.js';
import { describeSchedulesOverlap } from './schedules-overlap.js';
import { describeSchedulesPause } from './schedules-pause.js';
import { describeSchedulesVersion } from './schedules-version.js';
import { describeSettle } from './settle.js';
import { type OpenStore, setupWith } from './setup.js';

/** States what the contract of a backend means: every backend passes all of it. */
export function describeConformance(name: string, open: OpenStore): void {
  const setup = setupWith(open);
  describe(`${name} backend`, () => {
    describeAdd(setup);
    describeIdsAndReplace(setup);
    describeClaim(setup);
    describeClaimBetweenQueues(setup);
    describeNextLook(setup);
    describeLeasesAndRecovery(setup);
    describeSettle(setup);
    describeFencingAndRepeats(setup);
    describeCancel(setup);
    describePark(setup);
    describeExpiryAndRetention(setup);
    describePause(setup);
    describeCatalog(setup);
    describeLocks(setup);
    describeLockConflicts(setup);
    describeLockTimeToLive(setup);
    describeLockPhases(setup);
    describeSchedules(setup);
    describeSchedulesDue(setup);
    describeSchedulesVersion(setup);
    describeSchedulesAdvance(setup);
    describeSchedulesOverlap(setup);
    describeSchedulesPause(setup);
    describeSchedulesBell(setup);
    describeBell(setup);
  });
}
