import { JobsError } from '../task/errors.js';

/** Something that cannot be done with `TestJobs` as it is set up. */
export class TestJobsError extends JobsError {
  readonly code = 'TEST_JOBS';
}

/** `drain` or `advance` would not come to an end; the message says what keeps it from doing so. */
export class EndlessWorkError extends JobsError {
  readonly code = 'ENDLESS_WORK';
}
