import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** For a row of links that is wider than a phone: the one that is current is in sight. */
export function useCurrentInSight<T extends HTMLElement>(current: string): RefObject<T | null> {
  const row = useRef<T>(null);
  useEffect(() => {
    const element = row.current;
    const link = element?.querySelector<HTMLElement>('[aria-current]');
    if (element && link) element.scrollLeft = link.offsetLeft - (element.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return row;
}
