/*
 * What the dashboard's API asks and answers, version 1: shared by the server and the page, JSON alone. Moments end in `At` (or
 * are called `slot`) and are milliseconds since 1970 by the store's clock; spans end in `Ms`, as they were at the time of the
 * answer. What is unknown is left out. Below `<path>/api/v1`, beside the page's files at `<path>/`:
 *
 *   GET  session                                   -> Session
 *   GET  overview                                  -> Overview
 *   GET  tasks?TaskQuery                           -> TaskList
 *   GET  task?queue&id                             -> TaskDetails        (without `queue` every queue is asked)
 *   GET  failures?FailureQuery                     -> FailureList
 *   POST tasks/preview   TaskPreviewRequest        -> TaskPreview
 *   POST tasks/act       TaskActRequest            -> TaskActed
 *   POST queues/act      QueueActRequest           -> QueueRow
 *   GET  schedules?ScheduleQuery                   -> ScheduleList
 *   GET  schedule?queue&id                         -> ScheduleDetails
 *   POST schedules/act   ScheduleActRequest        -> ScheduleActed
 *   GET  jobs                                      -> JobList
 *   GET  job?name                                  -> JobDetails
 *   POST jobs/check      EnqueueRequest            -> ParamsCheck
 *   POST jobs/enqueue    EnqueueRequest            -> EnqueueAnswer      (422 INVALID_PARAMS with `violations`)
 *   GET  stream                                    -> text/event-stream of StreamEvents
 *   GET  openapi.json                              -> this, as an OpenAPI document
 *
 * A POST is sent as `application/json`, from the page itself: by a browser that says `Sec-Fetch-Site: same-origin`, or with
 * `Session.token` in the header `x-jobs-token` and the cookie that came with it. Every error is an `ApiError`, but
 * for what the application's own guards and body parser answer.
 */

export { apiBounds, apiVersion, statesForAction, tokenHeader } from './api/basics.js';
export type {
  ApiError,
  ApiErrorCode,
  DashboardRole,
  FieldError,
  PageQuery,
  Progress,
  Ref,
  Session,
  StateCounts,
  TaskAction,
  TaskState,
} from './api/basics.js';
export type {
  Chart,
  Charts,
  Overview,
  QueueRow,
  RunnerRow,
  RunningTask,
  Trouble,
  TroubleCode,
} from './api/overview.js';
export type { QueueAction, QueueActRequest } from './api/queues.js';
export type {
  Content,
  FailureGroup,
  FailureList,
  FailureQuery,
  LastRun,
  TaskActed,
  TaskActRequest,
  TaskDetails,
  TaskError,
  TaskFilter,
  TaskList,
  TaskLock,
  TaskPreview,
  TaskPreviewRequest,
  TaskQuery,
  TaskRow,
  Which,
} from './api/tasks.js';
export type {
  ScheduleAction,
  ScheduleActed,
  ScheduleActRequest,
  ScheduleDetails,
  ScheduleList,
  ScheduleQuery,
  ScheduleRow,
  SlotOutcome,
} from './api/schedules.js';
export type {
  EnqueueAnswer,
  EnqueueChoices,
  EnqueueRequest,
  JobDetails,
  JobForm,
  JobList,
  JobRow,
  ParamsCheck,
} from './api/jobs.js';
export type { StreamEvents } from './api/stream.js';
export type { ParamsConstraints, ParamsField, ParamsSchema, ParamsValue } from '../catalog/params-fields.js';
