import { expect } from '@jest/globals';
import type { JobCatalog, JobQueue, JobRunner, JobsHealth } from 'nestjs-jobs';

/** What the README's statements may use. */
export interface Stage {
  readonly jobs: JobQueue;
  readonly catalog: JobCatalog;
  readonly runner: JobRunner;
  readonly health: JobsHealth;
}

/** A result that the README states. */
export function check(actual: unknown, stated: unknown): void {
  expect(actual).toEqual(stated);
}
