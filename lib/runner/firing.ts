import type { Backend, Unanswered } from '../backend/backend.js';
import type { Advanced, DueSchedule } from '../backend/schedule-store.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { TaskEvents } from '../job/task-events.js';
import { dueSteps, type SlotStep } from '../task/due-slots.js';
import { readRule } from '../task/schedule-plan.js';
import { buildSlotTask, readTemplate } from '../task/slot-task.js';
import { slotsOf } from '../task/slots.js';
import type { TaskIds } from '../task/task-id.js';
import type { Due, Step } from './due-schedule.js';
import type { FiringHooks } from './firing-hooks.js';
import { tellSlot } from './run-events.js';
import type { ScheduleLog } from './schedule-log.js';

/**
 * Turns due schedules into tasks. Each step is one compare-and-set in the store, together with its task: whoever else
 * fires the same slot, and wherever this process dies, each slot has at most one.
 */
export class Firing {
  constructor(
    private readonly backend: Pick<Backend, 'schedules'>,
    private readonly registry: JobRegistry,
    private readonly ids: TaskIds,
    private readonly hooks: FiringHooks,
    private readonly lines: ScheduleLog,
    private readonly events: TaskEvents,
  ) {}

  /** What is to be done about a schedule; undefined where this process cannot read it, or does not have its job. */
  plan(schedule: DueSchedule): Due | undefined {
    try {
      return this.read(schedule);
    } catch {
      // A zone that this machine does not know, a rule of a later version: one such schedule must not stop the others.
      return undefined;
    }
  }

  private read(schedule: DueSchedule): Due | undefined {
    const job = this.registry.named(schedule.job);
    const rule = readRule(schedule.rule);
    const template = readTemplate(schedule.template);
    if (!job || !rule || !template) return undefined;
    const { queue, id, version, now } = schedule;
    const { missed, overlap } = template;
    const slots = slotsOf(rule, schedule.firstSlot);
    const taken = dueSteps(slots, schedule.nextSlot, now, missed, overlap);
    // One that is made up for may be tried again until the first slot that is still to come.
    const nextSlot = taken.at(-1)?.nextSlot;
    const build = ({ fires }: SlotStep) =>
      fires === undefined
        ? undefined
        : buildSlotTask(schedule, template, this.ids.next(now), now, { slot: fires, nextSlot });
    const steps = taken.map((step): Step => ({
      queue,
      id,
      version,
      slot: step.slot,
      passes: step.fires ?? Math.max(slots.upTo(now) ?? step.slot, step.slot),
      nextSlot: step.nextSlot,
      skipped: step.skipped,
      overlap,
      task: build(step),
    }));
    return { schedule, job, steps };
  }

  /**
   * Fires those without hooks in one call; those with hooks, which may take their time, one by one beside it. Answers the
   * queues whose part of the store gave no answer: what was moved on there, and what was not, shows at the next look.
   */
  async fire(due: readonly Due[]): Promise<Unanswered[]> {
    const steps: { one: Due; step: Step }[] = [];
    for (const one of due) {
      if (this.hooks.has(one.job)) this.hooks.begin(one, (step) => this.advance(one, step));
      else for (const step of one.steps) steps.push({ one, step });
    }
    if (steps.length === 0) return [];
    const answers = await this.backend.schedules.advance(steps.map(({ step }) => step));
    const unanswered = new Map<string, Unanswered>();
    steps.forEach(({ one, step }, index) => {
      const { queue } = step;
      const answer = answers[index]!;
      if (answer.status === 'unanswered') unanswered.set(queue, { queue, reason: answer.reason });
      this.say(one, step, answer);
    });
    return [...unanswered.values()];
  }

  private async advance(one: Due, step: Step): Promise<Advanced> {
    const [answer] = await this.backend.schedules.advance([step]);
    if (answer!.status === 'unanswered') throw answer!.reason;
    this.say(one, step, answer!);
    return answer!;
  }

  private say({ schedule }: Due, step: Step, answer: Advanced): void {
    if (answer.status !== 'advanced') return;
    this.lines.advanced(schedule, step, answer);
    tellSlot(this.events, step.task, answer.added);
  }
}
