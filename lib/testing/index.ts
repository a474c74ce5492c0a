export { JobsTestingModule } from './jobs-testing.module.js';
export { TestJobs, type Drained, type HandledParams } from './test-jobs.js';
export type { EnqueuedTask } from './ledger.js';
export type { ReturnedBy, RunJobArguments, RunJobOptions } from './run-job.js';
export type { RunOutcome } from './run-outcome.js';
export type { FakeTimers, TestingMode, TestingOptions } from './testing-options.js';
export { EndlessWorkError, TestJobsError } from './errors.js';
export { jobMatchers, type JobMatchers, type Stated } from './job-matchers.js';
