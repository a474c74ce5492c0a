import type * as api from '../api.js';
import type { Components } from './components.js';
import type { OverviewComponents } from './overview-schemas.js';
import {
  anything,
  count,
  duration,
  flag,
  list,
  moment,
  number,
  object,
  oneOf,
  ref,
  span,
  text,
  type Schema,
} from './schema.js';
import type { TaskComponents } from './task-schemas.js';

export const scheduleQuery = object<api.ScheduleQuery>(
  {},
  { queue: list(text), job: list(text), isPaused: flag, text, limit: count, after: text },
);

const scheduleFields = {
  queue: text,
  id: text,
  job: text,
  isPaused: flag,
  isDeclared: flag,
  fired: count,
  skipped: count,
};
const scheduleChoices = {
  words: text,
  rule: text,
  timeZone: text,
  lastSlot: moment,
  nextSlot: moment,
  lastTask: text,
};

const jobFields = {
  name: text,
  queues: list(text),
  succeeded: count,
  failed: count,
  dead: count,
  cancelled: count,
  lost: count,
  isProvided: flag,
  isEnqueuable: flag,
  schedules: count,
};
const jobChoices = {
  meanRunMs: span,
  meanWaitMs: span,
  lastRunAt: moment,
  lastFailureAt: moment,
  lastError: text,
};

const constraints = object<api.ParamsConstraints>(
  {},
  {
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: number,
    minLength: count,
    maxLength: count,
    pattern: text,
    format: text,
    minItems: count,
    maxItems: count,
    uniqueItems: flag,
  },
);
const valueType = oneOf(
  'string',
  'number',
  'integer',
  'boolean',
  'date',
  'bigint',
  'array',
  'object',
  'unknown',
);
const valueChoices = {
  nullable: flag,
  values: list(anything),
  constraints,
  items: ref('ParamsValue'),
  fields: list(ref('ParamsField')),
  description: text,
};

type OtherComponents = Exclude<keyof Components, OverviewComponents | TaskComponents>;

export const scheduleAndJobSchemas: { [K in OtherComponents]: Schema<Components[K]> } = {
  Schedule: object<api.ScheduleRow>(scheduleFields, scheduleChoices),
  ScheduleList: object<api.ScheduleList>(
    { schedules: list(ref('Schedule')), isComplete: flag },
    { next: text },
  ),
  ScheduleDetails: object<api.ScheduleDetails>(
    {
      ...scheduleFields,
      params: ref('Content'),
      firstSlot: moment,
      nextSlots: list(moment),
      lastSlots: list(
        object<api.SlotOutcome>(
          {
            slot: moment,
            task: text,
            outcome: oneOf('succeeded', 'failed', 'dead', 'cancelled', 'lost'),
            at: moment,
          },
          {},
        ),
      ),
    },
    { ...scheduleChoices, missed: text, overlap: text },
  ),
  ScheduleActRequest: object<api.ScheduleActRequest>(
    { action: oneOf('run', 'pause', 'resume', 'remove'), queue: text, id: text },
    {},
  ),
  ScheduleActed: object<api.ScheduleActed>({ outcome: oneOf('done', 'left', 'taken') }, { task: ref('Ref') }),
  Job: object<api.JobRow>(jobFields, jobChoices),
  JobList: object<api.JobList>({ jobs: list(ref('Job')) }, {}),
  JobDetails: object<api.JobDetails>(
    { ...jobFields, someSchedules: list(ref('Ref')) },
    {
      ...jobChoices,
      form: object<api.JobForm>(
        { source: oneOf('class', 'schema', 'none') },
        { fields: list(ref('ParamsField')) },
      ),
    },
  ),
  ParamsField: object<api.ParamsField>(
    { name: text, type: valueType, required: flag },
    { ...valueChoices, default: anything },
  ),
  ParamsValue: object<api.ParamsValue>({ type: valueType }, valueChoices),
  EnqueueRequest: object<api.EnqueueRequest>(
    { job: text },
    {
      params: anything,
      options: object<api.EnqueueChoices>(
        {},
        {
          id: text,
          queue: text,
          in: duration,
          at: moment,
          priority: count,
          retries: count,
          timeout: duration,
          keep: duration,
        },
      ),
    },
  ),
  EnqueueAnswer: object<api.EnqueueAnswer>(
    { queue: text, id: text, status: oneOf('enqueued', 'existing', 'replaced', 'rejected', 'vetoed') },
    { holder: text },
  ),
  ParamsCheck: object<api.ParamsCheck>({ violations: list(ref('FieldError')) }, {}),
};
