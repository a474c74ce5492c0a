import type { Acted, Backend } from '../backend/backend.js';
import { InvalidOptionError } from '../task/errors.js';
import type { ScheduleRecord } from '../task/schedule-record.js';
import { buildSlotTask, readTemplate } from '../task/slot-task.js';
import { TaskIds } from '../task/task-id.js';
import type { TaskRef } from '../task/task-record.js';
import type { KnownQueues, TaskName } from './known-queues.js';
import type { CatalogRedaction } from './redaction.js';
import { scheduleInfo, slotsToCome, type ScheduleDetails } from './schedule-info.js';

const mostSlots = 1_000;
const slotsOfDetails = 5;

/** Looking closely at the schedules in the store, and steering them. */
export class ScheduleCatalog {
  private readonly ids = new TaskIds();

  constructor(
    private readonly backend: Backend,
    private readonly queues: KnownQueues,
    private readonly redaction: CatalogRedaction,
  ) {}

  async get(name: TaskName): Promise<ScheduleDetails | undefined> {
    const record = await this.find(name);
    if (!record) return undefined;
    const { queue, id } = record;
    const [now, slots] = await Promise.all([
      this.backend.schedules.now(queue),
      this.backend.stats.slots({ queue, id }),
    ]);
    return {
      ...scheduleInfo(record, this.redaction),
      lastSlots: slots.map(({ slot, task, outcome, at }) => {
        return { slot: new Date(slot), task, outcome, at: new Date(at) };
      }),
      nextSlots: (slotsToCome(record, now, slotsOfDetails) ?? []).map((slot) => new Date(slot)),
    };
  }

  async nextSlots(name: TaskName, count: number): Promise<Date[]> {
    if (!Number.isInteger(count) || count < 1 || count > mostSlots)
      throw new InvalidOptionError('nextSlots', 'count', count, `an integer from 1 to ${mostSlots}`);
    const record = await this.find(name);
    if (!record) return [];
    return (await this.slots('nextSlots', record, count)).map((slot) => new Date(slot));
  }

  async run(name: TaskName): Promise<TaskRef | 'taken' | 'missing'> {
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

  async pause(name: TaskName): Promise<Acted> {
    const record = await this.find(name);
    if (!record) return 'missing';
    if (record.isPaused) return 'left';
    return (await this.backend.schedules.pause(record)) ? 'done' : 'missing';
  }

  /** What was to come during the pause has passed; a schedule that came to its end in it is gone. */
  async resume(name: TaskName): Promise<Acted> {
    const record = await this.find(name);
    if (!record) return 'missing';
    if (!record.isPaused) return 'left';
    const [nextSlot] = await this.slots('resumeSchedule', record, 1);
    if (nextSlot === undefined) return (await this.backend.schedules.remove(record)) ? 'done' : 'missing';
    const resumed = await this.backend.schedules.resume(record, record.nextSlot, nextSlot);
    return resumed === 'resumed' ? 'done' : 'left';
  }

  async remove(name: TaskName): Promise<Acted> {
    const record = await this.find(name);
    if (!record) return 'missing';
    return (await this.backend.schedules.remove(record)) ? 'done' : 'missing';
  }

  private async slots(what: string, record: ScheduleRecord, count: number): Promise<number[]> {
    const slots = slotsToCome(record, await this.backend.schedules.now(record.queue), count);
    if (!slots) throw unreadable(what, record);
    return slots;
  }

  private find(name: TaskName): Promise<ScheduleRecord | undefined> {
    return this.queues.find(name, (ref) => this.backend.schedules.get(ref));
  }
}

function unreadable(what: string, { id }: ScheduleRecord): InvalidOptionError {
  return new InvalidOptionError(what, 'name', id, 'a schedule that this process can read');
}
