import type { Added } from '../backend/backend.js';
import type { NewSchedule } from '../backend/schedule-store.js';
import type { JobDefinition } from '../job/job-definition.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import { readTemplate } from '../task/slot-task.js';
import type { NewTask, TaskRef } from '../task/task-record.js';

/** A task, or a schedule, that was enqueued. */
export interface EnqueuedTask<P = unknown> extends TaskRef {
  /** The job's stored name. */
  readonly job: string;
  /** As the handler gets them, with defaults filled in; of a job that no module provides, as they are stored. */
  readonly params: P;
  /** What the call said, but for the transaction; empty where a schedule made the task. */
  readonly options: EnqueueOptions;
  readonly priority: number;
  /** When it is to run first. */
  readonly dueAt: Date;
  /** It stands for a schedule, put by `every` or `cron`. */
  readonly isRecurring: boolean;
  /** The schedule that made it, and the slot for which it did. */
  readonly scheduleId?: string;
  readonly slot?: Date;
}

type Entry = { -readonly [K in keyof EnqueuedTask]: EnqueuedTask[K] };

/** What has been enqueued, in order. */
export class Ledger {
  private readonly entries = new Set<Entry>();
  /** The latest by its name: a bulk holds thousands. */
  private readonly latest = new Map<string, Entry>();

  constructor(private readonly definitionOf: (job: string) => JobDefinition | undefined) {}

  /** What the store answered to a task; one that it did not take is not written down. */
  async add(task: NewTask, added: Added, now: number): Promise<void> {
    if (added.status !== 'enqueued' && added.status !== 'replaced') return;
    const { job, queue, priority, due, scheduleId, slot } = task;
    const id = added.status === 'replaced' ? (added.holder ?? task.id) : task.id;
    if (added.status === 'replaced') this.cross({ queue, id });
    await this.write(task.params, {
      job,
      queue,
      id,
      priority,
      dueAt: new Date('at' in due ? due.at : now + due.inMs),
      isRecurring: false,
      ...(scheduleId === undefined ? {} : { scheduleId }),
      ...(slot === undefined ? {} : { slot: new Date(slot) }),
    });
  }

  async put({ job, queue, id, template, nextSlot }: NewSchedule, now: number): Promise<void> {
    const { params, priority } = readTemplate(template)!;
    this.cross({ queue, id });
    const dueAt = new Date(nextSlot === 'now' ? now : nextSlot);
    await this.write(params, { job, queue, id, priority, dueAt, isRecurring: true });
  }

  /** What a call said, which the store does not know. */
  said(
    { queue, id }: TaskRef,
    { transaction: _, ...options }: EnqueueOptions = {},
  ): EnqueuedTask | undefined {
    const entry = this.latest.get(nameOf({ queue, id }));
    if (entry) entry.options = options;
    return entry;
  }

  list(job?: string): EnqueuedTask[] {
    return [...this.entries]
      .filter((entry) => job === undefined || entry.job === job)
      .map((entry) => ({ ...entry }));
  }

  get tasks(): TaskRef[] {
    return [...this.entries]
      .filter(({ isRecurring }) => !isRecurring)
      .map(({ queue, id }) => ({ queue, id }));
  }

  get schedules(): TaskRef[] {
    return [...this.entries].filter(({ isRecurring }) => isRecurring).map(({ queue, id }) => ({ queue, id }));
  }

  clear(): void {
    this.entries.clear();
    this.latest.clear();
  }

  private async write(params: string, facts: Omit<Entry, 'params' | 'options'>): Promise<void> {
    const entry: Entry = { ...facts, options: {}, params: params === '' ? undefined : JSON.parse(params) };
    this.entries.add(entry);
    this.latest.set(nameOf(entry), entry);
    try {
      const codec = this.definitionOf(facts.job)?.codec;
      if (codec) entry.params = await codec.decode(params);
    } catch {
      // What cannot be read as the handler would is shown as it is stored.
    }
  }

  /** What gave way is not there any more. */
  private cross(ref: TaskRef): void {
    const entry = this.latest.get(nameOf(ref));
    if (entry) this.entries.delete(entry);
  }
}

function nameOf({ queue, id }: TaskRef): string {
  return `${queue}\n${id}`;
}
