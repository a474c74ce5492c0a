import { useEffect, useState } from 'preact/hooks';
import { usePage } from './page-parts.js';

/** This machine's time, again and again, while somebody looks. */
export function useTicks(everyMs = 1_000): number {
  const [now, tick] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') tick(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** The server's time: what a moment of its answers is compared with. */
export function useServerNow(everyMs?: number): number {
  const { aheadMs } = usePage();
  return useTicks(everyMs) + aheadMs;
}
