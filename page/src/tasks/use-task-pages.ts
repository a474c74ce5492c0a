import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { TaskList, TaskRow } from '../../../lib/dashboard/api.js';
import { failureOf, type ApiFailure } from '../core/api-failure.js';
import { usePage } from '../core/page-parts.js';
import { searchOf } from '../core/query.js';
import { SearchPace } from '../core/search-pace.js';
import { filterOf, taskViewQuery, type TaskView } from './task-view.js';

export interface TaskPages {
  readonly rows: readonly TaskRow[];
  readonly isLoading: boolean;
  /** Nothing has come yet. */
  readonly isNew: boolean;
  readonly failure?: ApiFailure;
  /** There may be more. */
  readonly hasMore: boolean;
  /** It was looked for long enough: whoever wants more says so. */
  readonly isTired: boolean;
  /** Something has happened since, and more than one page is on view: it does not move under the reader's hands. */
  readonly isStale: boolean;
  readonly receivedAt: number;
  readonly more: () => void;
  readonly reload: () => void;
}

interface Held extends Omit<TaskPages, 'hasMore' | 'more' | 'reload'> {
  readonly next?: string;
  readonly pages: number;
}

const pageSize = 100;
const nothing: Held = {
  rows: [],
  pages: 0,
  receivedAt: 0,
  isLoading: true,
  isNew: true,
  isTired: false,
  isStale: false,
};

/** The tasks of a view, page behind page; the first one is live as long as it stands alone. */
export function useTaskPages(view: TaskView): TaskPages {
  const { api, live, aheadMs } = usePage();
  const key = searchOf(taskViewQuery(view));
  const [held, hold] = useState(nothing);
  const latest = useRef({ view, held });
  latest.current = { view, held };
  const calls = useRef<AbortController>(undefined);
  // What is drawn lags behind: two calls of one moment must not both go out.
  const isBusy = useRef(false);
  const [pace] = useState(() => new SearchPace());
  // A relative time is counted once, so that all pages belong to one question.
  const askedAt = useRef(0);

  const load = useCallback(
    async (isMore: boolean) => {
      calls.current?.abort();
      const { signal } = (calls.current = new AbortController());
      isBusy.current = true;
      const { view, held } = latest.current;
      if (!isMore) askedAt.current = Date.now() + aheadMs;
      pace.begin();
      hold((held) => ({ ...held, isLoading: true, failure: undefined, isTired: false }));
      const query = { ...filterOf(view, askedAt.current), limit: pageSize, backwards: !view.isOldestFirst };
      try {
        const before = isMore ? held.rows : [];
        const found: TaskRow[] = [];
        let next = isMore ? held.next : undefined;
        // What a search finds is shown as it comes, unless there is something on view that it would replace.
        const showSome = () =>
          (isMore || held.isNew) &&
          hold((held) => ({
            ...held,
            next,
            rows: withoutRepeats([...before, ...found]),
            receivedAt: Date.now(),
          }));
        for (;;) {
          const list = await api.get<TaskList>('tasks', { ...query, after: next }, signal);
          found.push(...list.tasks);
          next = list.next;
          if (next === undefined || found.length >= pageSize / 2 || pace.isTired) break;
          if (list.tasks.length > 0) showSome();
        }
        const isTired = next !== undefined && found.length < pageSize / 2;
        const rows = isMore ? withoutRepeats([...before, ...found]) : found;
        const pages = isMore ? held.pages + 1 : 1;
        hold({
          rows,
          next,
          pages,
          isTired,
          isLoading: false,
          isNew: false,
          isStale: false,
          receivedAt: Date.now(),
        });
      } catch (error) {
        if (!signal.aborted) hold((held) => ({ ...held, isLoading: false, failure: failureOf(error) }));
      } finally {
        pace.end();
        // One that was broken off has a successor.
        if (!signal.aborted) isBusy.current = false;
      }
    },
    [api, aheadMs, pace],
  );

  useEffect(() => {
    hold(nothing);
    void load(false);
    return () => calls.current?.abort();
  }, [key, load]);

  useEffect(
    () =>
      live.changed((queues) => {
        const { view, held } = latest.current;
        const isElsewhere =
          queues && view.queue.length > 0 && !view.queue.some((queue) => queues.includes(queue));
        if (isElsewhere || isBusy.current) return;
        if (held.pages <= 1 && pace.isRested) void load(false);
        else if (queues) hold((held) => ({ ...held, isStale: true }));
      }),
    [live, load, pace],
  );

  const more = useCallback(() => {
    const { held } = latest.current;
    if (!isBusy.current && held.next !== undefined) void load(true);
  }, [load]);
  const reload = useCallback(() => void load(false), [load]);
  return { ...held, hasMore: held.next !== undefined, more, reload };
}

/** A task that moved between two pages is on both. */
function withoutRepeats(rows: readonly TaskRow[]): TaskRow[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

export function keyOf({ queue, id }: Pick<TaskRow, 'queue' | 'id'>): string {
  return JSON.stringify([queue, id]);
}
