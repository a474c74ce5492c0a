import type { QueueGlance } from '../../backend/catalog-store.js';
import type { Family, Sample } from './series.js';

/** What a look at the queues has shown; nothing of them where the store did not answer. */
export function queueFamilies(glances: readonly QueueGlance[] | undefined): Family[] {
  const seen = glances ?? [];
  const perQueue = (valueOf: (glance: QueueGlance) => number): Sample[] =>
    seen.map((glance) => ({ labels: { queue: glance.queue }, value: valueOf(glance) }));
  return [
    {
      name: 'nestjs_jobs_queue_tasks',
      help: 'Tasks of a queue by state, in the whole store.',
      type: 'gauge',
      samples: seen.flatMap(({ queue, counts }) =>
        Object.entries(counts).map(([state, value]) => ({ labels: { queue, state }, value })),
      ),
    },
    {
      name: 'nestjs_jobs_queue_depth',
      help: 'Tasks of a queue that could run now: those that wait, and scheduled ones that are due.',
      type: 'gauge',
      samples: perQueue(({ depth }) => depth),
    },
    {
      name: 'nestjs_jobs_queue_oldest_waiting_seconds',
      help: 'How long the task that is due longest has been waiting; 0 where none waits.',
      type: 'gauge',
      samples: perQueue(({ oldestWaitingMs = 0 }) => oldestWaitingMs / 1_000),
    },
    {
      name: 'nestjs_jobs_queue_paused',
      help: 'Whether a queue is paused.',
      type: 'gauge',
      samples: perQueue(({ pausedForMs }) => (pausedForMs === undefined ? 0 : 1)),
    },
    {
      name: 'nestjs_jobs_store_up',
      help: 'Whether the store has answered to the latest look at its queues.',
      type: 'gauge',
      samples: [{ labels: {}, value: glances ? 1 : 0 }],
    },
  ];
}
