import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { failureOf, type ApiFailure } from './api-failure.js';
import { usePage } from './page-parts.js';
import { searchOf, type Query } from './query.js';

/** What a call gave, kept while it is asked for again and where that fails. */
export interface Resource<T> {
  readonly data?: T;
  readonly failure?: ApiFailure;
  /** When `data` came, by this machine's clock. */
  readonly receivedAt: number;
  readonly reload: () => void;
}

interface Held<T> {
  readonly key: string;
  readonly data?: T;
  readonly failure?: ApiFailure;
  readonly receivedAt: number;
}

/** Asks, and asks again whenever something has happened in `queue`, or anywhere where none is named. */
export function useResource<T>(path: string, query: Query = {}, queue?: string): Resource<T> {
  const { api, live } = usePage();
  const key = path + searchOf(query);
  const [held, hold] = useState<Held<T>>({ key, receivedAt: 0 });
  const again = useRef(() => {});
  useEffect(() => {
    const leaving = new AbortController();
    const load = inTurn(async () => {
      try {
        const data = await api.get<T>(key, {}, leaving.signal);
        if (!leaving.signal.aborted) hold({ key, data, receivedAt: Date.now() });
      } catch (error) {
        if (leaving.signal.aborted) return;
        const failure = failureOf(error);
        // What was there stays on view, unless the answer is that it is gone.
        hold((before) => ({
          ...(before.key === key && failure.isOutage ? before : { key, receivedAt: 0 }),
          failure,
        }));
      }
    });
    again.current = load;
    load();
    const stop = live.changed((queues) => {
      if (!queue || !queues || queues.includes(queue)) load();
    });
    return () => {
      leaving.abort();
      stop();
    };
  }, [api, live, key, queue]);
  const reload = useMemo(() => () => again.current(), []);
  const { data, failure, receivedAt } =
    held.key === key ? held : { data: undefined, failure: undefined, receivedAt: 0 };
  return { data, failure, receivedAt, reload };
}

/** One at a time; what is wanted meanwhile is done once more at the end. */
function inTurn(act: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;
  const run = async (): Promise<void> => {
    isBusy = true;
    do {
      isWanted = false;
      await act();
    } while (isWanted);
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}
