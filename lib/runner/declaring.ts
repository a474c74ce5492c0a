import type { Backend } from '../backend/backend.js';
import type { ScheduleRecord } from '../backend/schedule-store.js';
import { spanMs } from '../task/duration.js';
import { firstSlotOf } from '../task/slots.js';
import type { TaskRef } from '../task/task-record.js';
import type { DeclaredPlan } from './declared-schedules.js';

/** How often a process says that it declares its schedules. */
const declareEveryMs = 3_600_000;
/** A schedule from code that no process has declared for so long is forgotten. */
export const forgetAfterMs = 7 * 86_400_000;

/**
 * Stores what this process declares, and keeps saying so: a schedule from code that nobody declares any more fires nowhere,
 * and is forgotten after a week.
 */
export class Declaring {
  private readonly names: ReadonlySet<string>;
  private declaredAt = -Infinity;

  constructor(
    private readonly backend: Pick<Backend, 'schedules' | 'catalog'>,
    private readonly plans: readonly DeclaredPlan[],
  ) {
    this.names = new Set(plans.map(nameOf));
  }

  /** Whether this process may fire it: one from code is fired by those who have that code. */
  has(schedule: ScheduleRecord): boolean {
    return schedule.declaredAt === undefined || this.names.has(nameOf(schedule));
  }

  /** Does what is due at `now`, of a clock that never runs back. Rejects where the store does not answer: to be repeated. */
  async declare(now: number): Promise<void> {
    if (this.plans.length === 0 || now < this.declaredAt + declareEveryMs) return;
    // Later on only as a sign of life: a process with older code must not put back its own rule.
    if (this.declaredAt !== -Infinity) await this.backend.schedules.declare(this.plans);
    else await Promise.all(this.plans.map((plan) => this.put(plan)));
    this.declaredAt = now;
  }

  private async put({ queue, id, job, plan, rule, template }: DeclaredPlan): Promise<void> {
    const { schedules } = this.backend;
    const existing = await schedules.get({ queue, id });
    const now = await schedules.now(queue);
    if (!existing) await this.removeElsewhere({ queue, id }, job);
    const nextSlot =
      existing && existing.rule !== rule
        ? nextSlotAfterChange(plan, existing.lastSlot, now)
        : firstSlotOf(plan.slots, plan.from, now);
    // One that is over is not begun again.
    if (nextSlot === undefined && !existing) return;
    const schedule = { queue, id, job, rule, template, nextSlot: nextSlot ?? now, isDeclared: true };
    if (nextSlot === undefined && existing?.rule !== rule) await schedules.remove({ queue, id });
    else await schedules.put(schedule, 'changed');
  }

  /** A job that was moved to another queue takes its schedule along: first it is gone there, then it is here. */
  private async removeElsewhere({ queue, id }: TaskRef, job: string): Promise<void> {
    const { schedules, catalog } = this.backend;
    for (const other of await catalog.queues()) {
      const found = other === queue ? undefined : await schedules.get({ queue: other, id });
      if (found?.declaredAt !== undefined && found.job === job) await schedules.remove(found);
    }
  }
}

/** A span counts from the last slot, so that a start with another one makes no extra run; a cron goes on by the clock. */
function nextSlotAfterChange(
  { slots, from }: DeclaredPlan['plan'],
  lastSlot: number | undefined,
  now: number,
) {
  if (!('every' in slots) || from !== undefined || lastSlot === undefined)
    return firstSlotOf(slots, from, now);
  const next = lastSlot + spanMs(slots.every, lastSlot);
  return next > now ? next : firstSlotOf(slots, from, now);
}

function nameOf({ queue, id }: TaskRef): string {
  return `${queue}\n${id}`;
}
