import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { DashboardRole, Session } from '../../../lib/dashboard/api.js';
import type { Api } from './api.js';
import type { Live, LiveView } from './live.js';
import type { Notices } from './notices.js';
import type { Places } from './places.js';
import type { Ticker } from './ticker.js';
import { useWatched } from './watched.js';

/** What every part of the page may use. */
export interface PageParts {
  readonly api: Api;
  readonly live: Live;
  readonly notices: Notices;
  readonly places: Places;
  readonly ticker: Ticker;
  readonly session: Session;
  /** How far the server's clock is ahead of this one. */
  readonly aheadMs: number;
}

export const PageContext = createContext<PageParts | undefined>(undefined);

export function usePage(): PageParts {
  const parts = useContext(PageContext);
  if (!parts) throw new Error('outside of the page');
  return parts;
}

/** Whether the one who looks may do so. The server decides; this only leaves out what it would refuse. */
export function useMay(role: DashboardRole): boolean {
  const { session } = usePage();
  return role === 'view' || (!session.isReadOnly && session.roles.includes(role));
}

export function useLive(): LiveView {
  const { live } = usePage();
  return useWatched(
    (changed) => live.viewed(changed),
    () => live.view,
  );
}
