import { bullmqOn, type BullMQ } from '../../side-by-side/child/bullmq.js';
import { loadPeer } from '../../side-by-side/child/peers.js';

interface BullMQOnPostgres {
  withBackend(factory: unknown): Pick<BullMQ, 'Queue' | 'Worker'>;
  createPostgresBackend: unknown;
}

/** With fewer connections for the side that adds than by default: on a small machine that is faster. */
export const bullmq = bullmqOn(
  () => {
    const { withBackend, createPostgresBackend } = loadPeer<BullMQOnPostgres>('bullmq');
    return withBackend(createPostgresBackend);
  },
  (connectionString, side) => ({ connectionString, migrate: true, max: side === 'queue' ? 4 : 10 }),
);
