import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Which rows of a long list are near the eye: from, and before. */
export interface RowWindow {
  readonly from: number;
  readonly to: number;
  readonly rowHeight: number;
}

const beyond = 12;

/** Of a list whose rows are all equally tall, which the styles say, the part that has to be drawn. */
export function useWindow(place: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [shown, show] = useState<RowWindow>({ from: 0, to: 40, rowHeight: 44 });
  // Before anything is painted or scrolled: the list is as tall as its rows.
  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const element = place.current;
      if (!element) return;
      const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-height')) || 44;
      const above = -element.getBoundingClientRect().top / rowHeight;
      const from = Math.max(Math.floor(above) - beyond, 0);
      const to = Math.max(Math.ceil(above + innerHeight / rowHeight) + beyond, 0);
      show((before) =>
        before.from === from && before.to === to && before.rowHeight === rowHeight
          ? before
          : { from, to, rowHeight },
      );
    };
    const soon = () => (frame ||= requestAnimationFrame(look));
    look();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, [place, count]);
  const from = Math.min(shown.from, Math.max(count - 1, 0));
  return { ...shown, from, to: Math.min(Math.max(shown.to, from), count) };
}
