import type { Backend } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import type { EnqueuePlan } from '../task/enqueue-plan.js';
import { InvalidOptionError } from '../task/errors.js';
import { ruleText, type SchedulePlan } from '../task/schedule-plan.js';
import type { StoreSlot } from '../task/schedule-record.js';
import { templateText } from '../task/slot-task.js';
import { firstSlotOf } from '../task/slots.js';
import { lineOf } from '../task/stored-error.js';
import type { NewTask } from '../task/task-record.js';
import type { Enqueued } from './enqueued.js';
import { EnqueueFailedError, EnqueueTimeoutError } from './errors.js';

/** Brings schedules to the store: the task that a call would have made becomes the pattern of those to come. */
export class SchedulePutter {
  constructor(
    private readonly backend: Pick<Backend, 'schedules'>,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  async put({ queue, id, job, params, lock }: NewTask, plan: EnqueuePlan): Promise<Enqueued> {
    const schedule = plan.schedule!;
    const putting = this.firstSlot(queue, job, schedule).then((nextSlot) =>
      this.backend.schedules.put(
        {
          queue,
          id,
          job,
          nextSlot,
          rule: ruleText(schedule),
          template: templateText(params, plan, lock),
          isDeclared: false,
        },
        plan.replace ? 'always' : 'absent',
      ),
    );
    const status = await this.answered(putting, job, id);
    return { id, queue, status: status === 'stored' ? 'enqueued' : status };
  }

  /** By the store's clock, whatever this process believes. */
  private async firstSlot(queue: string, job: string, { slots, from }: SchedulePlan): Promise<StoreSlot> {
    const isOpenEnded = 'every' in slots && slots.until === undefined;
    const now = isOpenEnded ? 0 : await this.backend.schedules.now(queue);
    const slot = firstSlotOf(slots, from, now);
    if (slot !== undefined) return slot;
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
