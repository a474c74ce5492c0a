export { JobsModule, type JobsAsyncOptions, type JobsOptionsFactory } from './jobs.module.js';
export type { JobsOptions, RetentionOptions, RunnerOptions } from './jobs.options.js';
export { ConflictingRootsError } from './jobs-root.js';

export { Job } from './job/job.decorator.js';
export { Periodic } from './job/periodic.decorator.js';
export { Cron } from './job/cron.decorator.js';
export { CronExpression } from './job/cron-expression.js';
export { JobHooks } from './job/job-hooks.decorator.js';
export type { JobOptions } from './job/job-options.js';
export type { RecurringOptions } from './job/recurring-options.js';
export type { RecurringDecorator } from './job/recurring-decorator.js';
export type { RuleDependency, RuleFactory } from './job/rule.js';
export type { JobClass, JobHandler, ParamsOf, TaskHooks } from './job/job-handler.js';
export { DuplicateJobError, InvalidJobError, JobNotProvidedError, NotAJobError } from './job/errors.js';

export { JobQueue } from './queue/job-queue.js';
export type { Bulk } from './queue/bulk.js';
export type { Enqueued } from './queue/enqueued.js';
export type { ResultOf } from './queue/result-of.js';
export type { ResultOptions } from './queue/result-options.js';
export {
  BulkError,
  EnqueueFailedError,
  EnqueueTimeoutError,
  QueueClosedError,
  ResultMissingError,
  ResultTimeoutError,
  TaskDiedError,
} from './queue/errors.js';

export { JobRunner } from './runner/job-runner.js';
export { JobCatalog, type TaskName } from './catalog/job-catalog.js';
export type { LockInfo } from './catalog/lock-catalog.js';
export type { ScheduleInfo } from './catalog/schedule-info.js';

export { Task } from './task/task.js';
export type { Duration } from './task/duration.js';
export type { EnqueueDefaults, EnqueueOptions } from './task/enqueue-options.js';
export type { ParamsType } from './task/params.js';
export type { Backoff } from './task/retry-policy.js';
export type { UniqueOptions } from './task/unique-options.js';
export type { ScheduleOptions } from './task/schedule-options.js';
export type { Missed } from './task/due-slots.js';
export type { Overlap } from './task/schedule-record.js';
export type { SlotRule } from './task/slots.js';
export type {
  Failure,
  LockConflict,
  LockPhase,
  TaskLine,
  TaskLock,
  TaskProgress,
  TaskRecord,
  TaskRef,
  TaskState,
} from './task/task-record.js';
export { Clock, type ClockTimer } from './task/clock.js';
export {
  AttemptsExhaustedError,
  InvalidOptionError,
  InvalidParamsError,
  JobsError,
  LeaseLostError,
  LockConflictError,
  PayloadTooLargeError,
  ShutdownError,
  TaskCancelledError,
  TaskFailedError,
  TaskTimeoutError,
  UnreadableParamsError,
  type Violation,
} from './task/errors.js';

export type { Acted, Backend, Durability } from './backend/backend.js';
export type { HeldLock, LockPage, LockRef } from './backend/held-lock.js';
export {
  CrossSlotError,
  StoreUnavailableError,
  TransactionNotSupportedError,
  UnsupportedTransactionError,
  UnusableStoreError,
  WouldWaitForItselfError,
} from './backend/errors.js';
export { memoryBackend, type MemoryBackendOptions } from './backend/memory/memory-backend.js';
