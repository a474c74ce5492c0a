import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { TaskList, TaskRow } from '../../../lib/dashboard/api.js';
import { failureOf, type ApiFailure } from '../core/api-failure.js';
import { usePage } from '../core/page-parts.js';
import { searchOf } from '../core/query.js';
import { SearchPace } from '../core/search-pace.js';
import { nextLook } from './next-look.js';
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
  /** Asks once more for what failed. */
  readonly tryAgain: () => void;
}

interface Held extends Omit<TaskPages, 'hasMore' | 'more' | 'reload' | 'tryAgain'> {
  readonly next?: string;
  readonly pages: number;
  /** By the server's clock: a relative time is counted once, so that all pages belong to one question. */
  readonly askedAt: number;
  /** It was the next page that failed. */
  readonly isMoreFailed?: boolean;
}

const pageSize = 100;
const nothing: Held = {
  rows: [],
  pages: 0,
  askedAt: 0,
  receivedAt: 0,
  isLoading: true,
  isNew: true,
  isTired: false,
  isStale: false,
};

/** The tasks of a view, page behind page; the first one is live as long as it stands alone and is not held fast. */
export function useTaskPages(view: TaskView, isFast: boolean): TaskPages {
  const { api, live, aheadMs, places } = usePage();
  const key = searchOf(taskViewQuery(view));
  // Whoever comes back by the Back button finds the list as he left it.
  const [left] = useState(() => places.get<Held>(key));
  const [held, hold] = useState<Held>(() =>
    left ? { ...left.held, isLoading: false, isStale: true } : nothing,
  );
  const scrolled = useRef(left?.scrolled ?? 0);
  const isFirst = useRef(true);
  const latest = useRef({ view, held, isFast });
  latest.current = { view, held, isFast };
  const calls = useRef<AbortController>(undefined);
  // What is drawn lags behind: two calls of one moment must not both go out.
  const isBusy = useRef(false);
  const [pace] = useState(() => new SearchPace());

  const load = useCallback(
    async (isMore: boolean) => {
      calls.current?.abort();
      const { signal } = (calls.current = new AbortController());
      isBusy.current = true;
      const { view, held } = latest.current;
      const askedAt = isMore ? held.askedAt : Date.now() + aheadMs;
      pace.begin();
      hold((held) => ({ ...held, isLoading: true, failure: undefined, isTired: false }));
      const query = { ...filterOf(view, askedAt), limit: pageSize, backwards: !view.isOldestFirst };
      try {
        const before = isMore ? held.rows : [];
        const found: TaskRow[] = [];
        let next = isMore ? held.next : undefined;
        // What a search finds is shown as it comes, unless there is something on view that it would replace.
        const showSome = () =>
          hold((held) =>
            isMore || held.isNew
              ? {
                  ...held,
                  next,
                  askedAt,
                  rows: withoutRepeats([...before, ...found]),
                  receivedAt: Date.now(),
                }
              : held,
          );
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
          askedAt,
          isTired,
          isLoading: false,
          isNew: false,
          isStale: false,
          receivedAt: Date.now(),
        });
      } catch (error) {
        if (signal.aborted) return;
        const failure = failureOf(error);
        hold((held) => ({ ...held, isLoading: false, failure, isMoreFailed: isMore }));
      } finally {
        pace.end();
        // One that was broken off has a successor.
        if (!signal.aborted) isBusy.current = false;
      }
    },
    [api, aheadMs, pace],
  );

  useEffect(() => {
    const back = isFirst.current ? left : undefined;
    isFirst.current = false;
    if (!back) hold(nothing);
    if (!back || back.held.pages <= 1) void load(false);
    return () => calls.current?.abort();
  }, [key, load]);

  useEffect(() => {
    const note = () => {
      // The page that comes next is shorter, and scrolls before this one has quite gone.
      if (location.hash === places.tasksHref) scrolled.current = scrollY;
    };
    addEventListener('scroll', note, { passive: true });
    return () => removeEventListener('scroll', note);
  }, [places]);

  useEffect(() => {
    const here = places.here();
    places.tasksHref = location.hash;
    return () => places.put(here, { view: key, held: latest.current.held, scrolled: scrolled.current });
  }, [key, places]);

  useEffect(
    () =>
      live.changed(({ queues }) => {
        const { view, held, isFast } = latest.current;
        const isElsewhere =
          queues !== undefined &&
          view.queue.length > 0 &&
          !view.queue.some((queue) => queues.includes(queue));
        if (isBusy.current) return;
        const { isRested } = pace;
        const look = nextLook(held, { isFast, isElsewhere, isTold: queues !== undefined, isRested });
        if (look === 'stale') hold((held) => ({ ...held, isStale: true }));
        else if (look) void load(look === 'more');
      }),
    [live, load, pace],
  );

  const more = useCallback(() => {
    const { held } = latest.current;
    if (!isBusy.current && held.next !== undefined) void load(true);
  }, [load]);
  const reload = useCallback(() => void load(false), [load]);
  const tryAgain = useCallback(() => void load(latest.current.held.isMoreFailed ?? false), [load]);
  return { ...held, hasMore: held.next !== undefined, more, reload, tryAgain };
}

/** A task that moved between two pages is on both. */
function withoutRepeats(rows: readonly TaskRow[]): TaskRow[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

export function keyOf({ queue, id }: Pick<TaskRow, 'queue' | 'id'>): string {
  return JSON.stringify([queue, id]);
}
