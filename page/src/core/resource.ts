import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { failureOf, type ApiFailure } from './api-failure.js';
import { inTurn } from './in-turn.js';
import type { Change } from './live.js';
import { usePage } from './page-parts.js';
import { searchOf, type Query } from './query.js';

/** What a call gave, kept while it is asked for again and where that fails. */
export interface Resource<T> {
  readonly data?: T;
  /** What it was when it was last there, where it has gone since it was first asked for. */
  readonly last?: T;
  readonly failure?: ApiFailure;
  /** When `data` or `last` came, by this machine's clock. */
  readonly receivedAt: number;
  readonly reload: () => void;
}

interface Held<T> {
  readonly key: string;
  readonly data?: T;
  readonly last?: T;
  readonly failure?: ApiFailure;
  readonly receivedAt: number;
}

/** When something is asked for again. */
interface Freshness {
  /** The only queue that matters; without one, all do. */
  readonly queue?: string;
  /** `rarely`: what changes with a deployment rather than with a task. `never`: somebody works with it. @default 'live' */
  readonly refresh?: 'live' | 'rarely' | 'never';
}

const rarelyMs = 60_000;

/** Asks, and asks again when something has happened. */
export function useResource<T>(
  path: string,
  query: Query = {},
  { queue, refresh = 'live' }: Freshness = {},
): Resource<T> {
  const { api, live } = usePage();
  const key = path + searchOf(query);
  const [held, hold] = useState<Held<T>>({ key, receivedAt: 0 });
  const again = useRef(() => {});
  const asked = useRef({ at: 0, isAnswered: false });
  // What is on view is not asked for anew only because it is looked at more closely.
  const freshness = useRef({ queue, refresh });
  freshness.current = { queue, refresh };
  useEffect(() => {
    const leaving = new AbortController();
    const load = inTurn(async () => {
      asked.current.at = Date.now();
      try {
        const data = await api.get<T>(key, {}, leaving.signal);
        if (leaving.signal.aborted) return;
        asked.current.isAnswered = true;
        hold({ key, data, receivedAt: Date.now() });
      } catch (error) {
        if (leaving.signal.aborted) return;
        const failure = failureOf(error);
        hold((before) => afterFailure(before.key === key ? before : { key, receivedAt: 0 }, failure));
      }
    });
    again.current = load;
    asked.current.isAnswered = false;
    load();
    const stop = live.changed((change) => {
      const { at, isAnswered } = asked.current;
      if (!isAnswered || isWanted(change, freshness.current, Date.now() - at)) load();
    });
    return () => {
      leaving.abort();
      stop();
    };
  }, [api, live, key]);
  const reload = useMemo(() => () => again.current(), []);
  const { data, last, failure, receivedAt }: Held<T> = held.key === key ? held : { key, receivedAt: 0 };
  return { data, last, failure, receivedAt, reload };
}

/** What was there stays on view, unless the answer is that it is gone, or is none of the reader's business. */
function afterFailure<T>(before: Held<T>, failure: ApiFailure): Held<T> {
  const { key, data, last = data, receivedAt } = before;
  if (failure.isPassing) return { ...before, failure };
  return failure.isGone ? { key, last, receivedAt, failure } : { key, receivedAt: 0, failure };
}

function isWanted({ why, queues }: Change, { queue, refresh }: Freshness, ageMs: number): boolean {
  if (refresh === 'never') return false;
  if (refresh === 'rarely') return why === 'act' || why === 'hello' || ageMs >= rarelyMs;
  return !queue || !queues || queues.includes(queue);
}
