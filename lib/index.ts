export { JobsModule, type JobsAsyncOptions, type JobsOptionsFactory } from './jobs.module.js';
export type { JobsOptions, LogOptions, RetentionOptions, RunnerOptions } from './jobs.options.js';
export type { LoggedEvent } from './job/log-settings.js';
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
export type { Enqueued } from './task/enqueued.js';
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

export { JobRunner, type RunnerState } from './runner/job-runner.js';
export { JobsHealth } from './health/jobs-health.js';
export type { HealthOptions } from './health/health-options.js';
export type { HealthProblem, HealthProblemCode, HealthReport, QueueHealth } from './health/health-report.js';
export type { LeaseHealth } from './runner/session-health.js';
export { JobCatalog } from './catalog/job-catalog.js';
export { InvalidCursorError } from './catalog/errors.js';
export type { FailureGroup, FailureGroups } from './catalog/failure-groups.js';
export type { SpanInfo } from './catalog/filled-spans.js';
export type { JobInfo, SchedulesOfJob } from './catalog/job-list.js';
export type { TaskName } from './catalog/known-queues.js';
export type { LockInfo, LocksPage } from './catalog/lock-catalog.js';
export type { ParamsConstraints, ParamsField, ParamsSchema, ParamsValue } from './catalog/params-fields.js';
export type { LiveRunnerInfo, QueueInfo } from './catalog/queue-catalog.js';
export type { ScheduleDetails, ScheduleInfo, SlotInfo } from './catalog/schedule-info.js';
export type { ScheduleFilter, SchedulesPage } from './catalog/schedule-list.js';
export type { ActedCounts, ActFilter, ActPage, Answer, Which } from './catalog/task-actions.js';
export type { Page, Search, TaskCount, TasksPage } from './catalog/task-catalog.js';
export type { TaskFilter } from './catalog/task-filter.js';
export type { FailureInfo, LastRunInfo, LineInfo, TaskInfo, TaskLockInfo } from './catalog/task-info.js';

export { OnTask, type OnTaskDecorator, type OnTaskFilter } from './observe/on-task.decorator.js';
export { JobEvents } from './observe/job-events.js';
export type { JobEvent, JobEventOf } from './observe/job-event.js';
export type { ContextOptions } from './observe/context-carrier.js';
export { JobsMetrics } from './observe/metrics/jobs-metrics.js';
export { JobsMetricsModule, type JobsMetricsOptions } from './observe/metrics/jobs-metrics.module.js';
export type { PromClientRegistry } from './observe/metrics/prom-client.js';

export { Task } from './task/task.js';
export type { TaskEvent, TaskEventType } from './task/task-event.js';
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
  LastRun,
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
  ContextError,
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
export type { HeldLock, LockRef } from './backend/held-lock.js';
export type { RunCounts } from './backend/stats-store.js';
export {
  CrossSlotError,
  StoreUnavailableError,
  TransactionNotSupportedError,
  UnsupportedTransactionError,
  UnusableStoreError,
  WouldWaitForItselfError,
} from './backend/errors.js';
export { memoryBackend, type MemoryBackendOptions } from './backend/memory/memory-backend.js';
