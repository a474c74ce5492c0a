import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Overview, StateCounts } from '../../../lib/dashboard/api.js';
import { useLive } from './page-parts.js';
import type { Resource } from './resource.js';

/** Asked for once for the whole page, whichever part shows something of it. */
export const OverviewContext = createContext<Resource<Overview> | undefined>(undefined);

export function useOverview(): Resource<Overview> {
  const overview = useContext(OverviewContext);
  if (!overview) throw new Error('outside of the page');
  return overview;
}

/** How many tasks are in which state, as far as is known. */
export function useCounts(): StateCounts | undefined {
  const { data } = useOverview();
  return useLive().counts ?? data?.counts;
}

/** How much is wrong, as far as is known. */
export function useTroubleCount(): number {
  const { data } = useOverview();
  return useLive().troubles ?? data?.troubles.length ?? 0;
}

export function useQueueNames(): readonly string[] {
  return useOverview().data?.queues.map(({ name }) => name) ?? [];
}
