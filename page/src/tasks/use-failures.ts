import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { FailureList, TaskFilter } from '../../../lib/dashboard/api.js';
import { failureOf, type ApiFailure } from '../core/api-failure.js';
import { usePage } from '../core/page-parts.js';
import { searchOf } from '../core/query.js';
import type { Resource } from '../core/resource.js';
import { SearchPace } from '../core/search-pace.js';
import { plusFailures } from './failure-sum.js';
import { filterOf, taskViewQuery, type TaskView } from './task-view.js';

/** Of so many groups nobody reads more. */
const mostGroups = 1_000;

export interface Failures extends Resource<FailureList> {
  readonly isLoading: boolean;
  /** Groups those that have not been looked at yet. */
  readonly more: () => void;
}

interface Held {
  readonly key: string;
  readonly data?: FailureList;
  readonly failure?: ApiFailure;
  readonly isLoading: boolean;
  readonly receivedAt: number;
}

/** The dead tasks of a view that names no state, by job and error, answer after answer; what comes first is on view while the rest is looked for. */
export function useFailures(view: TaskView): Failures {
  const { api, live, aheadMs } = usePage();
  const key = searchOf(taskViewQuery(view));
  // A relative time is counted when it is asked: what is on view stays while that is done anew.
  const asked = useRef<TaskFilter>({});
  const [held, hold] = useState<Held>({ key, isLoading: true, receivedAt: 0 });
  const latest = useRef(held);
  latest.current = held;
  const viewed = useRef(view);
  viewed.current = view;
  const calls = useRef<AbortController>(undefined);
  const isBusy = useRef(false);
  const [pace] = useState(() => new SearchPace());

  const load = useCallback(
    async (isMore: boolean) => {
      calls.current?.abort();
      const { signal } = (calls.current = new AbortController());
      isBusy.current = true;
      const before = latest.current.key === key ? latest.current.data : undefined;
      let data = isMore ? before : undefined;
      if (!isMore) asked.current = filterOf(viewed.current, Date.now() + aheadMs);
      const show = (isLoading: boolean) => hold({ key, data, isLoading, receivedAt: Date.now() });
      pace.begin();
      hold({ key, data: before, isLoading: true, receivedAt: latest.current.receivedAt });
      try {
        do {
          const part = await api.get<FailureList>(
            'failures',
            { ...asked.current, after: data?.next },
            signal,
          );
          data = plusFailures(data, part);
          // What is on view is not replaced by the beginning of itself.
          if (isMore || !before) show(true);
        } while (data.next !== undefined && !pace.isTired && data.groups.length < mostGroups);
        show(false);
      } catch (error) {
        if (signal.aborted) return;
        const failure = failureOf(error);
        const kept = failure.isPassing ? (data ?? before) : undefined;
        hold({ key, data: kept, failure, isLoading: false, receivedAt: latest.current.receivedAt });
      } finally {
        pace.end();
        if (!signal.aborted) isBusy.current = false;
      }
    },
    [api, key, pace, aheadMs],
  );

  useEffect(() => {
    void load(false);
    const stop = live.changed(() => {
      if (!isBusy.current && pace.isRested) void load(false);
    });
    return () => {
      stop();
      calls.current?.abort();
    };
  }, [live, load, pace]);

  const reload = useCallback(() => void load(false), [load]);
  const more = useCallback(() => void load(true), [load]);
  const now: Held = held.key === key ? held : { key, isLoading: true, receivedAt: 0 };
  return { ...now, reload, more };
}
