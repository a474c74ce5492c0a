/** How fast a round goes: all of its times follow from the lease. */
export interface Pace {
  /** Of what can be tried in many ways, some are enough. */
  readonly isShort: boolean;
  readonly leaseMs: number;
  readonly sweepMs: number;
  /** What requests and answers may add to what takes a lease and a sweep, beside the stalls that are measured in the round. */
  readonly slackMs: number;
  /** What a slow machine may add to the time in which a process has to stop. */
  readonly stopSlackMs: number;
  /** What must have been done before the fault, and be there in the end: less shows nothing. */
  readonly least: { readonly runs: number; readonly tasks: number };
  readonly workers: number;
  readonly concurrency: number;
  /** How long work goes on as usual before the fault. */
  readonly steadyMs: number;
  readonly enqueueEveryMs: number;
  readonly shutdownMs: number;
  readonly enqueueTimeoutMs: number;
}

export const usualPace: Pace = {
  isShort: false,
  leaseMs: 2_000,
  sweepMs: 500,
  slackMs: 500,
  stopSlackMs: 2_500,
  least: { runs: 20, tasks: 50 },
  workers: 3,
  concurrency: 8,
  steadyMs: 2_000,
  enqueueEveryMs: 15,
  shutdownMs: 3_000,
  enqueueTimeoutMs: 1_000,
};

/** For a machine that is busy with other tests, and may be ten times slower than this one. */
export const shortPace: Pace = {
  ...usualPace,
  isShort: true,
  leaseMs: 1_500,
  sweepMs: 300,
  slackMs: 1_000,
  stopSlackMs: 20_000,
  least: { runs: 5, tasks: 15 },
  workers: 2,
  steadyMs: 1_500,
  enqueueEveryMs: 25,
  shutdownMs: 2_000,
};
