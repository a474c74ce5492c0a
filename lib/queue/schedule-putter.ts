import type { Backend } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import type { EnqueuePlan } from '../task/enqueue-plan.js';
import { InvalidOptionError } from '../task/errors.js';
import { ruleText, type SchedulePlan } from '../task/schedule-plan.js';
import { templateText } from '../task/slot-task.js';
import { placeAfterChange, type Place } from '../task/slots.js';
import { lineOf } from '../task/stored-error.js';
import type { NewTask } from '../task/task-record.js';
import type { Enqueued } from './enqueued.js';
import { EnqueueFailedError, EnqueueTimeoutError } from './errors.js';

const mostTries = 5;

/** Brings schedules to the store: the task that a call would have made becomes the pattern of those to come. */
export class SchedulePutter {
  constructor(
    private readonly backend: Pick<Backend, 'schedules'>,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  async put(task: NewTask, plan: EnqueuePlan): Promise<Enqueued> {
    const { queue, id, job } = task;
    const status = await this.answered(this.store(task, plan), job, id);
    return { id, queue, status };
  }

  private async store(task: NewTask, plan: EnqueuePlan): Promise<Enqueued['status']> {
    const { queue, id, job, params, lock, extra } = task;
    const schedule = plan.schedule!;
    const rule = ruleText(schedule);
    const template = templateText(params, plan, lock, extra);
    for (let tries = 0; ; tries++) {
      const place = await this.place(task, schedule, rule, plan.replace);
      const put = { queue, id, job, rule, template, ...place, isDeclared: false };
      const status = await this.backend.schedules.put(put, plan.replace ? 'replace' : 'absent');
      if (status === 'stored') return 'enqueued';
      // An unchanged rule keeps its place, but its params and options are the new ones.
      if (status === 'existing' || status === 'replaced') return plan.replace ? 'replaced' : status;
      if (tries === mostTries) throw new Error('its slots pass faster than it can be replaced');
    }
  }

  /** By the store's clock, whatever this process believes; one that is replaced fires no slot a second time. */
  private async place(
    { queue, id, job }: NewTask,
    { slots, from }: SchedulePlan,
    rule: string,
    replace: boolean,
  ): Promise<Place> {
    const existing = replace ? await this.backend.schedules.get({ queue, id }) : undefined;
    if (existing?.rule === rule) return { nextSlot: existing.nextSlot, firstSlot: existing.firstSlot };
    const isOpenEnded = 'every' in slots && slots.until === undefined && !existing;
    const now = isOpenEnded ? 0 : await this.backend.schedules.now(queue);
    const place = placeAfterChange(slots, from, existing?.lastSlot, now, false);
    if (place) return place;
    const option = slots.until === undefined ? 'cron' : 'until';
    const value = slots.until === undefined ? 'cron' in slots && slots.cron : new Date(slots.until);
    throw new InvalidOptionError(job, option, value, 'such that there is a slot');
  }

  private async answered<T>(putting: Promise<T>, job: string, id: string): Promise<T> {
    let giveUp!: (error: Error) => void;
    const late = new Promise<never>((_, reject) => (giveUp = reject));
    const timer = this.clock.after(this.timeoutMs, () =>
      giveUp(new EnqueueTimeoutError(job, id, this.timeoutMs)),
    );
    try {
      return await Promise.race([putting, late]);
    } catch (error) {
      if (error instanceof InvalidOptionError || error instanceof EnqueueFailedError) throw error;
      const sent = (error as { sent?: boolean }).sent ?? true;
      throw new EnqueueFailedError(job, id, sent, lineOf(error), { cause: error });
    } finally {
      timer.cancel();
    }
  }
}
