import { useEffect, useState } from 'preact/hooks';

/** A value once it has stayed the same for a moment: what somebody types is not asked for letter by letter. */
export function useSettled<T>(value: T, afterMs = 300): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(() => value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
