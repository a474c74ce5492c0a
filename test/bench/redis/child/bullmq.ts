import { bullmqOn, type BullMQ } from '../../side-by-side/child/bullmq.js';
import { loadPeer } from '../../side-by-side/child/peers.js';

/** With the connections that "Going to production" asks for. */
export const bullmq = bullmqOn(
  () => loadPeer<BullMQ>('bullmq'),
  (url, side) => (side === 'queue' ? { url } : { url, maxRetriesPerRequest: null }),
);
