import type { ScheduleRecord } from '../backend/schedule-store.js';
import type { ClockTimer } from '../task/clock.js';
import { spanMs } from '../task/duration.js';
import { firstSlotOf } from '../task/slots.js';
import { lineOf } from '../task/stored-error.js';
import type { TaskRef } from '../task/task-record.js';
import type { DeclaredPlan } from './declared-schedules.js';
import type { RunnerParts } from './runner-session.js';
import { StoreOutage } from './store-outage.js';

const context = 'JobRunner';

/** How often a process says that it declares its schedules. */
const declareEveryMs = 3_600_000;
/** A schedule from code that no process has declared for so long is forgotten. */
export const forgetAfterMs = 7 * 86_400_000;

/**
 * Stores what this process declares, and keeps saying so: a schedule from code that nobody declares any more fires nowhere,
 * and is forgotten after a week.
 */
export class Declaring {
  private readonly plans: ReadonlyMap<string, DeclaredPlan>;
  /** When each was last said to be declared, by a clock that never runs back. */
  private readonly declaredAt = new Map<string, number>();
  private readonly outage: StoreOutage;
  private timer: ClockTimer | undefined;
  private saying: Promise<void> | undefined;
  private isOver = false;

  constructor(
    private readonly parts: Pick<RunnerParts, 'backend' | 'clock' | 'log'>,
    plans: readonly DeclaredPlan[],
    /** Called when schedules may be fired that could not be before. */
    private readonly declared: () => void,
  ) {
    this.plans = new Map(plans.map((plan) => [nameOf(plan), plan]));
    this.outage = new StoreOutage(parts.clock);
  }

  begin(): void {
    if (this.plans.size > 0) this.saying = this.sayAll();
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.timer?.cancel();
    await this.saying;
  }

  /** Whether this process may fire it: one from code is fired by those who have that code. */
  has(schedule: ScheduleRecord): boolean {
    return schedule.declaredAt === undefined || this.plans.has(nameOf(schedule));
  }

  /** Whether the store may not have yet what this process's code says of it: until then it is not fired. */
  isUnderWay(schedule: ScheduleRecord): boolean {
    const name = nameOf(schedule);
    return schedule.declaredAt !== undefined && this.plans.has(name) && !this.declaredAt.has(name);
  }

  /** A part of the store that is silent is told again, and leaves the others as they are. */
  private async sayAll(): Promise<void> {
    const { clock, log } = this.parts;
    const now = clock.elapsed();
    const due = [...this.plans.keys()].filter((name) => this.dueAt(name) <= now);
    const answers = await Promise.allSettled(due.map((name) => this.say(name)));
    const known = this.declaredAt.size;
    answers.forEach(({ status }, index) => {
      if (status === 'fulfilled') this.declaredAt.set(due[index]!, now);
    });
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (!failure) this.outage.answered();
    else if (this.outage.failed() && !this.isOver)
      log.write('warn', context, `schedules cannot be declared, trying again: ${lineOf(failure.reason)}`);
    if (this.declaredAt.size > known) this.declared();
    this.sleep();
  }

  private sleep(): void {
    if (this.isOver) return;
    const nextAt = Math.min(...[...this.plans.keys()].map((name) => this.dueAt(name)));
    const at = Math.max(nextAt, this.outage.pausedUntil);
    const { clock } = this.parts;
    this.timer = clock.after(Math.max(at - clock.elapsed(), 0), () => this.begin());
  }

  private dueAt(name: string): number {
    return (this.declaredAt.get(name) ?? -Infinity) + declareEveryMs;
  }

  /** Later on only a sign of life: a process with older code must not put back its own rule. */
  private say(name: string): Promise<void> {
    const plan = this.plans.get(name)!;
    return this.declaredAt.has(name) ? this.parts.backend.schedules.declare([plan]) : this.put(plan);
  }

  private async put({ queue, id, job, plan, rule, template }: DeclaredPlan): Promise<void> {
    const { schedules } = this.parts.backend;
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
    const { schedules, catalog } = this.parts.backend;
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
