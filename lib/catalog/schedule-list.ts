import type { Backend } from '../backend/backend.js';
import { checkKeys } from '../task/check-keys.js';
import { InvalidOptionError } from '../task/errors.js';
import type { ScheduleRecord } from '../task/schedule-record.js';
import type { TaskRef } from '../task/task-record.js';
import type { KnownQueues } from './known-queues.js';
import { readLimit, walkAll, walkPage, type Shelf } from './queue-walk.js';
import type { CatalogRedaction } from './redaction.js';
import { boundsWithin, ScanBudget, type ScanBounds } from './scan-budget.js';
import { scheduleInfo, type ScheduleInfo } from './schedule-info.js';
import type { Page, Search } from './task-catalog.js';
import { soughtText, type SoughtText } from './sought-text.js';
import { readFilter } from './task-filter.js';

/** Which schedules are meant. What is left out leaves nothing out. */
export interface ScheduleFilter {
  readonly queue?: string | readonly string[];
  readonly job?: string | readonly string[];
  readonly isPaused?: boolean;
  /** Somewhere in its id, job, rule or params, in capital letters or not. */
  readonly text?: string;
}

export interface SchedulesPage {
  readonly schedules: ScheduleInfo[];
  /** There may be more: the next page goes on here. */
  readonly next?: string;
  /** False: the search had to stop before the page was full. What it has not looked at yet is behind `next`. */
  readonly complete: boolean;
}

const bounds: ScanBounds = { rows: 10_000, ms: 1_000 };

/** Lists of schedules, in the order of their next slots, paused ones last. */
export class ScheduleList {
  constructor(
    private readonly backend: Backend,
    private readonly queues: KnownQueues,
    private readonly redaction: CatalogRedaction,
  ) {}

  async page(filter: ScheduleFilter, page: Page & Search): Promise<SchedulesPage> {
    checkKeys(page, ['limit', 'after', 'within'], 'schedules', 'page');
    const limit = readLimit('schedules', page.limit);
    const { items, next, complete } = await walkPage(
      this.shelf(filter),
      { limit, after: page.after },
      new ScanBudget(boundsWithin('schedules', bounds, page.within)),
    );
    return { schedules: items.map((record) => scheduleInfo(record, this.redaction)), next, complete };
  }

  /** The schedules of each job, as far as they can be looked at in one call. */
  async ofJobs(): Promise<{ refs: Map<string, TaskRef[]>; complete: boolean }> {
    const refs = new Map<string, TaskRef[]>();
    let complete = true;
    for await (const piece of walkAll(this.shelf({}), new ScanBudget(bounds))) {
      for (const { queue, id, job } of piece.items) {
        const ofJob = refs.get(job) ?? [];
        ofJob.push({ queue, id });
        refs.set(job, ofJob);
      }
      ({ complete } = piece);
    }
    return { refs, complete };
  }

  private shelf(filter: ScheduleFilter): Shelf<ScheduleRecord, 'schedules'> {
    checkKeys(filter, ['queue', 'job', 'isPaused', 'text'], 'schedules', 'filter');
    const { isPaused, text, queue, job } = filter;
    if (isPaused !== undefined && typeof isPaused !== 'boolean')
      throw new InvalidOptionError('schedules', 'isPaused', isPaused, 'true or false');
    const { queues, question } = readFilter('schedules', { queue, job, text });
    const jobs = job === undefined ? undefined : [job].flat();
    const sought = text === undefined ? undefined : soughtText(text);
    const wants = (record: ScheduleRecord) =>
      (jobs?.includes(record.job) ?? true) &&
      (isPaused === undefined || record.isPaused === isPaused) &&
      (!sought || this.holds(record, sought));
    return {
      call: 'schedules',
      question: { ...(question as object), isPaused },
      keys: ['schedules'],
      only: queues,
      queues: () => this.queues.names(),
      among: async (names) => names,
      page: async (name, _, request) => {
        const { schedules, next } = await this.backend.schedules.list(name, request);
        return { items: schedules, next };
      },
      sizeOf: ({ template, rule }) => template.length + rule.length,
      compare: () => comparing,
      wants: jobs || isPaused !== undefined || text !== undefined ? wants : undefined,
    };
  }

  private holds(record: ScheduleRecord, { isIn, isInJson }: SoughtText): boolean {
    const { id, job, words, paramsText } = scheduleInfo(record, this.redaction);
    return [id, job, words].some(isIn) || [paramsText, record.rule].some(isInJson);
  }
}

function comparing(one: ScheduleRecord, other: ScheduleRecord): number {
  return Number(one.isPaused) - Number(other.isPaused) || one.nextSlot - other.nextSlot;
}
