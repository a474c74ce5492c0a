import { searchOf, type Query } from './query.js';
import { useWatched } from './watched.js';

export const pageNames = [
  'overview',
  'tasks',
  'task',
  'failures',
  'schedules',
  'schedule',
  'queues',
  'jobs',
  'enqueue',
] as const;
export type PageName = (typeof pageNames)[number];

export interface Route {
  /** Undefined where no page is called so. */
  readonly page: PageName | undefined;
  readonly query: URLSearchParams;
}

/** Where a view is: behind the hash, so that it holds below any address and no server has to know it. */
export function hrefOf(page: PageName, query: Query = {}): string {
  return `#/${page}${searchOf(query)}`;
}

export function goTo(href: string): void {
  location.hash = href;
}

/** Changes the view without a step for the Back button. */
export function showAs(href: string): void {
  history.replaceState(history.state, '', href);
  // Whoever listens hears of it as of any other change.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function readRoute(hash: string): Route {
  const [, path = '', search = ''] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const name = path.replace(/\/$/, '') || 'overview';
  return { page: pageNames.find((page) => page === name), query: new URLSearchParams(search) };
}

export function useHash(): string {
  return useWatched(listen, () => location.hash);
}

function listen(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}
