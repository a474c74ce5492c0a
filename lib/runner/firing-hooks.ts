import type { Added } from '../backend/answers.js';
import type { Advanced } from '../backend/schedule-store.js';
import type { HookChain } from '../job/hook-chain.js';
import type { JobsLog } from '../job/jobs-log.js';
import { linesOf } from '../job/task-lines.js';
import type { ProvidedJob } from '../job/job-registry.js';
import type { TaskHooks } from '../job/job-handler.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import { storedRedaction, type Redaction } from '../task/redact.js';
import { lineOf, storedError } from '../task/stored-error.js';
import { taskFields } from '../task/task-fields.js';
import type { NewTask, TaskRef } from '../task/task-record.js';
import { Task } from '../task/task.js';
import type { Due, Step } from './due-schedule.js';

/** Takes a step in the store and says what came of it. */
type Advancing = (step: Step) => Promise<Advanced>;

/** A hook without an end of its own, where its job has no timeout, is not waited for any longer. */
const longestHookMs = 60_000;

/**
 * The enqueue hooks of slots. `beforeEnqueue` is asked in every process that sees the slot, `afterEnqueue` told in the one that
 * won it. A hook may take its time, or hang: its schedule alone waits for it here, and other processes do not.
 */
export class FiringHooks {
  private readonly underWay = new Set<string>();
  private readonly timers = new Set<ClockTimer>();

  constructor(
    private readonly hooks: HookChain,
    private readonly clock: Clock,
    private readonly log: JobsLog,
  ) {}

  has({ handler }: ProvidedJob): boolean {
    return this.hooks.has('beforeEnqueue', handler.shape) || this.hooks.has('afterEnqueue', handler.shape);
  }

  isUnderWay(schedule: TaskRef): boolean {
    return this.underWay.has(nameOf(schedule));
  }

  begin(due: Due, advance: Advancing): void {
    const { id, job } = due.schedule;
    const name = nameOf(due.schedule);
    this.underWay.add(name);
    void this.fire(due, advance)
      // It is still due, and is met again by a later look.
      .catch((error: unknown) =>
        this.log.write('warn', job, `schedule ${id} could not be moved on yet: ${lineOf(error)}`),
      )
      .finally(() => this.underWay.delete(name));
  }

  /** Nobody waits for a hook any longer. */
  end(): void {
    for (const timer of this.timers) timer.cancel();
  }

  private async fire({ job, steps }: Due, advance: Advancing): Promise<void> {
    for (const step of steps) {
      const asked = step.task && (await this.ask(job, step.task));
      const { status, ...advanced } = await advance(
        asked?.isVetoed ? { ...step, task: undefined, skipped: step.skipped + 1 } : step,
      );
      if (status !== 'advanced') return;
      if (asked?.task)
        await this.tell(asked.own, asked.task, 'added' in advanced ? advanced.added : undefined);
    }
  }

  private async tell(own: TaskHooks<never>, task: Task<never>, added: Added | undefined): Promise<void> {
    const holder = added?.status === 'replaced' ? added.holder : undefined;
    const isStored = added?.status === 'enqueued' || added?.status === 'replaced';
    await this.hooks.after('afterEnqueue', own, isStored, task.storedAs(holder ?? task.id));
  }

  /** A hook that throws rejects the task as a veto does: its slot passes, and the schedule goes on. */
  private async ask(job: ProvidedJob, task: NewTask) {
    let own: TaskHooks<never> = {};
    let preview: Task<never> | undefined;
    try {
      preview = await this.preview(job, task);
      own = (await job.handler.open(preview)).instance;
      return {
        own,
        task: preview,
        isVetoed: !(await this.bounded(job, this.hooks.beforeEnqueue(own, preview))),
      };
    } catch (error) {
      const stored = storedError(error, redactionOf(job, task)?.maskOf(task.params, preview?.params));
      const why = `${stored.name}: ${stored.message}`;
      const message = `slot ${slotText(task)}: beforeEnqueue failed: ${why}`;
      this.log.write('error', task.job, message, stored, taskFields(task));
      return { own, task: preview, isVetoed: true };
    }
  }

  private async bounded<T>({ definition }: ProvidedJob, hook: Promise<T>): Promise<T> {
    const limitMs = definition.timeoutMs ?? longestHookMs;
    let giveUp!: (error: Error) => void;
    const late = new Promise<never>((_, reject) => (giveUp = reject));
    const timer = this.clock.after(limitMs, () => giveUp(new Error(`it did not end within ${limitMs} ms`)));
    this.timers.add(timer);
    try {
      return await Promise.race([hook, late]);
    } finally {
      this.timers.delete(timer);
      timer.cancel();
      // What comes of it later concerns nobody.
      hook.catch(() => undefined);
    }
  }

  /** The task as a hook sees it before it is stored. */
  private async preview(job: ProvidedJob, task: NewTask): Promise<Task<never>> {
    const params = await job.definition.codec.decode(task.params);
    const at = task.slot!;
    const facts = { ...task, attempt: 0, failures: 0, enqueuedAt: at, dueAt: at };
    const lines = linesOf(this.log, redactionOf(job, task), task.params, params);
    return new Task<never>(facts, params as never, lines);
  }
}

function redactionOf({ definition }: ProvidedJob, { extra }: NewTask): Redaction | undefined {
  return storedRedaction(extra, definition.redaction);
}

function nameOf({ queue, id }: TaskRef): string {
  return `${queue}\n${id}`;
}

function slotText({ slot }: NewTask): string {
  return new Date(slot!).toISOString();
}
