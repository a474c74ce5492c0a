import type { JobRegistry } from '../job/job-registry.js';
import { lockFor } from '../job/unique-lock.js';
import { InvalidOptionError } from '../task/errors.js';
import { ruleText, type SchedulePlan } from '../task/schedule-plan.js';
import { templateText } from '../task/slot-task.js';
import type { TaskLock, TaskRef } from '../task/task-record.js';
import { Task } from '../task/task.js';
import type { UniquePlan } from '../task/unique-options.js';

/** A schedule that stands in code, ready to be stored. */
export interface DeclaredPlan extends TaskRef {
  readonly job: string;
  readonly plan: SchedulePlan;
  readonly rule: string;
  readonly template: string;
}

/** The schedules that this application's code declares. */
export class DeclaredSchedules {
  private all: readonly DeclaredPlan[] = [];

  constructor(private readonly registry: JobRegistry) {}

  /** Reads them at boot, so that what is wrong stops it, in every process that has the code. */
  async prepare(): Promise<void> {
    const all: DeclaredPlan[] = [];
    for (const { definition, options, with: values } of this.registry.declared()) {
      const plan = definition.planFor(options);
      const schedule = plan.schedule!;
      const end = options.for === undefined ? 'until' : 'for';
      if ('every' in schedule.slots && options[end] !== undefined && schedule.from === undefined)
        throw new InvalidOptionError(
          definition.where,
          end,
          options[end],
          'given with `from`: else each start after its end would begin it anew',
        );
      const { text, value } = await definition.codec.encode(values);
      const { name: job, queue } = definition;
      const lock = plan.unique && (await this.lock(job, plan.unique, value));
      all.push({
        queue,
        id: job,
        job,
        plan: schedule,
        rule: ruleText(schedule),
        template: templateText(text, plan, lock),
      });
    }
    this.all = all;
  }

  /** All slots share their params, and so one lock. */
  private async lock(name: string, unique: UniquePlan, params: unknown): Promise<TaskLock> {
    const job = this.registry.named(name)!;
    const facts = { id: name, job: name, queue: job.definition.queue, priority: 0, attempt: 0, failures: 0 };
    const preview = () =>
      new Task<never>({ ...facts, enqueuedAt: 0, dueAt: 0 }, params as never, { write: () => undefined });
    return lockFor(job, unique, params, preview);
  }

  in(queues: readonly string[]): DeclaredPlan[] {
    return this.all.filter(({ queue }) => queues.includes(queue));
  }
}
