import { bullmqOn, type BullMQ } from '../../side-by-side/child/bullmq.js';
import { loadPeer } from '../../side-by-side/child/peers.js';

interface BullMQOnPostgres {
  withBackend(factory: unknown): Pick<BullMQ, 'Queue' | 'Worker'>;
  createPostgresBackend: unknown;
}

export const bullmq = bullmqOn(
  () => {
    const { withBackend, createPostgresBackend } = loadPeer<BullMQOnPostgres>('bullmq');
    return withBackend(createPostgresBackend);
  },
  (connectionString) => ({ connectionString, migrate: true }),
);
