import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ScheduleList } from '../../../lib/dashboard/api.js';
import { failureOf } from '../core/api-failure.js';
import { inTurn } from '../core/in-turn.js';
import { usePage } from '../core/page-parts.js';
import { searchOf, type Query } from '../core/query.js';
import type { Resource } from '../core/resource.js';
import { SearchPace } from '../core/search-pace.js';
import { pageSize, ScheduleSearch, type Found } from './schedule-search.js';

export interface Schedules extends Resource<Found> {
  readonly more: () => void;
}

type Held = Pick<Schedules, 'data' | 'failure' | 'receivedAt'> & { readonly key: string };

/** The schedules of a filter, live. */
export function useSchedules(filter: Query): Schedules {
  const { api, live } = usePage();
  const key = searchOf(filter);
  const [held, hold] = useState<Held>({ key, receivedAt: 0 });
  const isMoreWanted = useRef(false);
  const again = useRef(() => {});
  useEffect(() => {
    isMoreWanted.current = false;
    const leaving = new AbortController();
    const pace = new SearchPace();
    const search = new ScheduleSearch((after) => {
      const query = { ...filter, limit: pageSize, after };
      return api.get<ScheduleList>('schedules', query, leaving.signal);
    }, pace);
    const load = inTurn(async () => {
      const isMore = isMoreWanted.current;
      isMoreWanted.current = false;
      try {
        const data = await (isMore ? search.more() : search.again());
        if (!leaving.signal.aborted) hold({ key, data, receivedAt: Date.now() });
      } catch (error) {
        if (leaving.signal.aborted) return;
        const failure = failureOf(error);
        hold((before) => ({
          ...(before.key === key && failure.isPassing ? before : { key, receivedAt: 0 }),
          failure,
        }));
      }
    });
    again.current = load;
    load();
    // A search that takes long is not made again at every change; whatever was done here is looked at in any case.
    const stop = live.changed(({ why }) => {
      if (why === 'act' || pace.isRested) load();
    });
    return () => {
      leaving.abort();
      stop();
    };
  }, [api, live, key]);
  const acts = useMemo(
    () => ({
      reload: () => again.current(),
      more: () => {
        isMoreWanted.current = true;
        again.current();
      },
    }),
    [],
  );
  return { ...(held.key === key ? held : { receivedAt: 0 }), ...acts };
}
