import { useEffect } from 'preact/hooks';
import { useTroubleCount } from './overview.js';
import { usePage } from './page-parts.js';

/** What the tab is called: how much is wrong, what is on view, and of what. */
export function useTitle(heading: string): void {
  const { title } = usePage().session;
  const troubles = useTroubleCount();
  useEffect(() => {
    document.title = `${troubles > 0 ? `(${troubles}) ` : ''}${heading} · ${title}`;
  }, [heading, title, troubles]);
}
