import type { Acted, Backend } from '../backend/backend.js';
import { InvalidOptionError } from '../task/errors.js';
import type { ScheduleRecord } from '../task/schedule-record.js';
import { buildSlotTask, readTemplate } from '../task/slot-task.js';
import { TaskIds } from '../task/task-id.js';
import type { TaskRef } from '../task/task-record.js';
import { behindId } from './behind-id.js';
import { scheduleInfo, slotsToCome, type ScheduleInfo } from './schedule-info.js';

const mostSlots = 1_000;

/** Reading and steering the schedules in the store. A name is a queue and an id, or an id that every known queue is asked for. */
export class ScheduleCatalog {
  private readonly ids = new TaskIds();

  constructor(
    private readonly backend: Backend,
    private readonly queues: () => Promise<string[]>,
  ) {}

  async list(queue: string, page: { limit: number; after?: string }): Promise<ScheduleInfo[]> {
    const records = await behindId(page, async (after) => {
      const { schedules, next } = await this.backend.schedules.list(queue, { limit: page.limit, after });
      return { items: schedules, next };
    });
    return records.map(scheduleInfo);
  }

  async get(name: string | TaskRef): Promise<ScheduleInfo | undefined> {
    const record = await this.find(name);
    return record && scheduleInfo(record);
  }

  async nextSlots(name: string | TaskRef, count: number): Promise<Date[]> {
    if (!Number.isInteger(count) || count < 1 || count > mostSlots)
      throw new InvalidOptionError('nextSlots', 'count', count, `an integer from 1 to ${mostSlots}`);
    const record = await this.find(name);
    if (!record) return [];
    return (await this.slots('nextSlots', record, count)).map((slot) => new Date(slot));
  }

  async run(name: string | TaskRef): Promise<TaskRef | 'taken' | 'missing'> {
    const record = await this.find(name);
    if (!record) return 'missing';
    const template = readTemplate(record.template);
    if (!template) throw unreadable('runSchedule', record);
    const now = await this.backend.schedules.now(record.queue);
    const task = buildSlotTask(record, template, this.ids.next(now), now);
    const [added] = await this.backend.tasks.add([[task]]);
    if (added instanceof Error) throw added;
    const answer = added![0]!;
    if (answer.status === 'rejected' || answer.status === 'raised') return 'taken';
    const replaced = answer.status === 'replaced' ? answer.holder : undefined;
    return { queue: task.queue, id: replaced ?? task.id };
  }

  async pause(name: string | TaskRef): Promise<Acted> {
    const record = await this.find(name);
    if (!record) return 'missing';
    if (record.isPaused) return 'left';
    return (await this.backend.schedules.pause(record)) ? 'done' : 'missing';
  }

  /** What was to come during the pause has passed; a schedule that came to its end in it is gone. */
  async resume(name: string | TaskRef): Promise<Acted> {
    const record = await this.find(name);
    if (!record) return 'missing';
    if (!record.isPaused) return 'left';
    const [nextSlot] = await this.slots('resumeSchedule', record, 1);
    if (nextSlot === undefined) return (await this.backend.schedules.remove(record)) ? 'done' : 'missing';
    const resumed = await this.backend.schedules.resume(record, record.nextSlot, nextSlot);
    return resumed === 'resumed' ? 'done' : 'left';
  }

  async remove(name: string | TaskRef): Promise<Acted> {
    const record = await this.find(name);
    if (!record) return 'missing';
    return (await this.backend.schedules.remove(record)) ? 'done' : 'missing';
  }

  private async slots(what: string, record: ScheduleRecord, count: number): Promise<number[]> {
    const slots = slotsToCome(record, await this.backend.schedules.now(record.queue), count);
    if (!slots) throw unreadable(what, record);
    return slots;
  }

  private async find(name: string | TaskRef): Promise<ScheduleRecord | undefined> {
    if (typeof name !== 'string') return this.backend.schedules.get(name);
    for (const queue of await this.queues()) {
      const found = await this.backend.schedules.get({ queue, id: name });
      if (found) return found;
    }
    return undefined;
  }
}

function unreadable(what: string, { id }: ScheduleRecord): InvalidOptionError {
  return new InvalidOptionError(what, 'name', id, 'a schedule that this process can read');
}
