import type { Backend } from '../backend/backend.js';
import type { ScheduleRecord } from '../backend/schedule-store.js';
import { movedTemplate, readTemplate } from '../task/slot-task.js';
import { firstSlotOf, placeAfterChange, type Place } from '../task/slots.js';
import type { TaskRef } from '../task/task-record.js';
import type { DeclaredPlan } from './declared-schedules.js';

/** How often a process says that it declares its schedules. */
const declareEveryMs = 600_000;
/** What could not be done is tried again no sooner. */
const tryEveryMs = 1_000;
/** One that has not been declared for so long belongs to code that is gone. */
const staleAfterMs = 3 * declareEveryMs;
/** Where a rule is put anew while its slots pass, the next try may come too late again: but not often. */
const mostTries = 5;

/**
 * Stores what this process declares, keeps saying so, and puts back what the store has lost: a schedule from code that nobody
 * declares any more fires nowhere.
 */
export class Declaring {
  private readonly names: ReadonlySet<string>;
  /** What is not known to be stored. */
  private readonly toPut: Set<DeclaredPlan>;
  /** What the store may not have yet as this process's code says it: until then it is not fired. */
  private readonly unsaid: Set<string>;
  private saidAt = -Infinity;
  private triedAt = -Infinity;
  private isBehind = false;

  constructor(
    private readonly backend: Pick<Backend, 'schedules' | 'catalog'>,
    private readonly plans: readonly DeclaredPlan[],
  ) {
    this.names = new Set(plans.map(nameOf));
    this.toPut = new Set(plans);
    this.unsaid = new Set(this.names);
  }

  /** Whether this process may fire it: one from code is fired by those who have that code. */
  has(schedule: ScheduleRecord): boolean {
    return schedule.declaredAt === undefined || this.declares(schedule);
  }

  isUnderWay(schedule: ScheduleRecord): boolean {
    return schedule.declaredAt !== undefined && this.unsaid.has(nameOf(schedule));
  }

  declares(ref: TaskRef): boolean {
    return this.names.has(nameOf(ref));
  }

  /** When there is something to say again, by a clock that never runs back. */
  get nextAt(): number {
    if (this.plans.length === 0) return Infinity;
    return !this.isBehind ? this.saidAt + declareEveryMs : this.triedAt + tryEveryMs;
  }

  /** The store may have lost something: all is asked for again. */
  again(): void {
    this.saidAt = -Infinity;
  }

  /**
   * Does what is due at `now`, of a clock that never runs back. Answers why not all of it could be done, if so: what is left is
   * done the next time, and keeps nobody from firing what is there.
   */
  async declare(now: number): Promise<Error | undefined> {
    this.triedAt = now;
    const troubles = now < this.saidAt + declareEveryMs ? [] : await this.sayAll();
    const putting = Array.from(this.toPut, async (plan) => {
      await this.put(plan);
      this.toPut.delete(plan);
      this.unsaid.delete(nameOf(plan));
    });
    troubles.push(...failuresOf(await Promise.allSettled(putting)));
    if (troubles.length === 0 && now >= this.saidAt + declareEveryMs) this.saidAt = now;
    this.isBehind = troubles.length > 0;
    return troubles[0];
  }

  /** Queue by queue, since their parts of the store may answer or not; what is gone is to be put back. */
  private async sayAll(): Promise<Error[]> {
    const byQueue = new Map<string, DeclaredPlan[]>();
    for (const plan of this.plans)
      if (!this.toPut.has(plan)) byQueue.set(plan.queue, [...(byQueue.get(plan.queue) ?? []), plan]);
    const saying = Array.from(byQueue.values(), async (plans) => {
      const gone = new Set((await this.backend.schedules.declare(plans)).map(nameOf));
      for (const plan of plans) if (gone.has(nameOf(plan))) this.toPut.add(plan);
    });
    return failuresOf(await Promise.allSettled(saying));
  }

  private async put(plan: DeclaredPlan): Promise<void> {
    const { schedules } = this.backend;
    for (let tries = 0; tries < mostTries; tries++) {
      const existing = await schedules.get(plan);
      const now = await schedules.now(plan.queue);
      if (!existing) return this.putAnew(plan, now);
      const place = placeOf(plan, existing, now);
      if (!place) {
        await schedules.remove(existing, existing.declaredAt);
        return;
      }
      // What it says of a move holds on: see `moved`.
      const template = movedTemplate(plan.template, readTemplate(existing.template)?.movedFrom);
      if ((await schedules.put({ ...newScheduleOf(plan, template), ...place }, 'replace')) !== 'passed')
        return;
    }
  }

  private async putAnew(plan: DeclaredPlan, now: number): Promise<void> {
    const { schedules } = this.backend;
    const moved = await this.moved(plan);
    if (moved === 'left') return;
    const nextSlot = firstSlotOf(plan.plan.slots, plan.plan.from, now);
    const place = moved ? placeOf(plan, moved, now) : nextSlot === undefined ? undefined : { nextSlot };
    // One that is over is not begun again.
    if (!place) return;
    const template = movedTemplate(plan.template, moved?.queue);
    const { lastSlot, isPaused } = moved ?? {};
    await schedules.put({ ...newScheduleOf(plan, template), ...place, lastSlot, isPaused }, 'absent');
  }

  /**
   * A job that was moved to another queue takes its schedule along: first it is gone there, then it is here. Of two versions
   * side by side the one that moved it away from here is not to be undone, for as long as it says that it lives.
   */
  private async moved({ queue, id, job }: DeclaredPlan): Promise<ScheduleRecord | 'left' | undefined> {
    const { schedules, catalog } = this.backend;
    for (const other of await catalog.queues()) {
      const found = other === queue ? undefined : await schedules.get({ queue: other, id });
      if (found?.declaredAt === undefined || found.job !== job) continue;
      const isAlive = found.declaredAt + staleAfterMs > (await schedules.now(other));
      if (isAlive && readTemplate(found.template)?.movedFrom === queue) return 'left';
      // Whoever else moves it at this moment has it: it is here when we look again.
      return (await schedules.remove(found, found.declaredAt)) ? found : 'left';
    }
    return undefined;
  }
}

/** An unchanged rule keeps its place, and another one passes no slot twice. */
function placeOf({ plan, rule }: DeclaredPlan, before: ScheduleRecord, now: number): Place | undefined {
  if (before.rule === rule) return { nextSlot: before.nextSlot, firstSlot: before.firstSlot };
  return placeAfterChange(plan.slots, plan.from, before.lastSlot, now, true);
}

function newScheduleOf({ queue, id, job, rule }: DeclaredPlan, template: string) {
  return { queue, id, job, rule, template, isDeclared: true };
}

function failuresOf(results: readonly PromiseSettledResult<unknown>[]): Error[] {
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
}

function nameOf({ queue, id }: TaskRef): string {
  return `${queue}\n${id}`;
}
