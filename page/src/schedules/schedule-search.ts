import type { ScheduleList, ScheduleRow } from '../../../lib/dashboard/api.js';
import type { SearchPace } from '../core/search-pace.js';

export const pageSize = 100;

export interface Found {
  readonly rows: readonly ScheduleRow[];
  readonly hasMore: boolean;
}

/** How far one has come. */
interface Reached {
  readonly rows: ReadonlyMap<string, ScheduleRow>;
  readonly answers: number;
  readonly next?: string;
}

const nothing: Reached = { rows: new Map(), answers: 0 };

/**
 * The schedules of a filter, as many as were asked for. They move with their slots, so that all of them are asked for again
 * together: a page behind the first one belongs to the same moment.
 */
export class ScheduleSearch {
  private reached = nothing;
  private wanted = pageSize;

  constructor(
    private readonly page: (after: string | undefined) => Promise<ScheduleList>,
    private readonly pace: Pick<SearchPace, 'begin' | 'end' | 'isTired'>,
  ) {}

  /** All of them anew, as far as the reader has come already. */
  again(): Promise<Found> {
    return this.from(nothing, this.reached.answers);
  }

  /** What comes behind them: a search that has grown tired does not begin anew. */
  more(): Promise<Found> {
    if (this.reached.next === undefined) return this.again();
    this.wanted = this.reached.rows.size + pageSize;
    return this.from(this.reached, 0);
  }

  /** One answer after the other: a search may come back with nothing before it has looked at all. */
  private async from(before: Reached, leastAnswers: number): Promise<Found> {
    const rows = new Map(before.rows);
    let { answers, next } = before;
    this.pace.begin();
    try {
      do {
        const list = await this.page(next);
        for (const row of list.schedules) rows.set(JSON.stringify([row.queue, row.id]), row);
        next = list.next;
        answers++;
      } while (
        next !== undefined &&
        rows.size < this.wanted &&
        (answers < leastAnswers || !this.pace.isTired)
      );
    } finally {
      this.pace.end();
    }
    this.reached = { rows, answers, next };
    return { rows: [...rows.values()], hasMore: next !== undefined };
  }
}
