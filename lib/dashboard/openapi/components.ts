import type * as api from '../api.js';

/** The answers and requests that have a name in the document. */
export interface Components {
  Error: api.ApiError;
  Session: api.Session;
  Ref: api.Ref;
  Progress: api.Progress;
  StateCounts: api.StateCounts;
  FieldError: api.FieldError;
  Content: api.Content;
  Overview: api.Overview;
  Chart: api.Chart;
  Charts: api.Charts;
  Queue: api.QueueRow;
  QueueActRequest: api.QueueActRequest;
  Runner: api.RunnerRow;
  Trouble: api.Trouble;
  TaskFilter: api.TaskFilter;
  Task: api.TaskRow;
  TaskList: api.TaskList;
  TaskDetails: api.TaskDetails;
  TaskPreviewRequest: api.TaskPreviewRequest;
  TaskPreview: api.TaskPreview;
  TaskActRequest: api.TaskActRequest;
  TaskActed: api.TaskActed;
  FailureList: api.FailureList;
  Schedule: api.ScheduleRow;
  ScheduleList: api.ScheduleList;
  ScheduleDetails: api.ScheduleDetails;
  ScheduleActRequest: api.ScheduleActRequest;
  ScheduleActed: api.ScheduleActed;
  Job: api.JobRow;
  JobList: api.JobList;
  JobDetails: api.JobDetails;
  ParamsField: api.ParamsField;
  ParamsValue: api.ParamsValue;
  EnqueueRequest: api.EnqueueRequest;
  EnqueueAnswer: api.EnqueueAnswer;
  ParamsCheck: api.ParamsCheck;
}
