import type { Backend } from './backend/backend.js';
import type { JobQueue } from './queue/job-queue.js';
import type { ResolvedOptions } from './resolve-options.js';
import type { Clock } from './task/clock.js';

/** Where a module of the application provides this, it is used instead of the real parts: `nestjs-jobs/testing` does. */
export const STAND_INS = Symbol('nestjs-jobs stand-ins');

export interface StandIns {
  readonly clock: Clock;
  /** The class of the queue that the application injects. */
  readonly JobQueue: typeof JobQueue;
  /** What holds where the application does not import `JobsModule` itself. */
  readonly options: ResolvedOptions;
  backendOn(clock: Clock): Backend;
}
