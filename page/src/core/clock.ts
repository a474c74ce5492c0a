import { useEffect, useReducer, useRef } from 'preact/hooks';
import { usePage } from './page-parts.js';

/** What is read off this machine's clock, drawn again when that is something else. */
export function useTicking<T>(read: (now: number) => T): T {
  const { ticker } = usePage();
  const [, again] = useReducer<number, void>((count) => count + 1, 0);
  const shown = read(Date.now());
  const latest = useRef({ read, shown });
  latest.current = { read, shown };
  useEffect(
    () =>
      ticker.ticked((now) => {
        const { read, shown } = latest.current;
        if (read(now) !== shown) again();
      }),
    [ticker],
  );
  return shown;
}
