import { useEffect, useReducer } from 'preact/hooks';

/** A value that lives outside, read again whenever it says that it has changed. */
export function useWatched<T>(watch: (changed: () => void) => () => void, read: () => T): T {
  const [, again] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    // It may have changed between the first look and now.
    again();
    return watch(() => again());
  }, []);
  return read();
}
