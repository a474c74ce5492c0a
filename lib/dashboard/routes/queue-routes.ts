import type { JobCatalog } from '../../catalog/job-catalog.js';
import type { QueueRow } from '../api/overview.js';
import type { QueueAction } from '../api/queues.js';
import { queueRow } from '../answers/overview-answer.js';
import { spanWords } from '../answers/words.js';
import { notFound } from '../http/api-failure.js';
import type { OverviewSource } from '../overview-source.js';
import { get, post, type Asked, type Route } from './route.js';

const actions: readonly QueueAction[] = ['pause', 'resume'];
const longestPauseMs = 365 * 86_400_000;

export function queueRoutes(catalog: JobCatalog, overview: OverviewSource, acted: () => void): Route[] {
  return [
    get('overview', (asked) => {
      asked.query();
      return overview.get();
    }),
    post('queues/act', 'operate', async (asked) => {
      const answer = await act(catalog, asked);
      acted();
      return answer;
    }),
  ];
}

async function act(catalog: JobCatalog, asked: Asked): Promise<QueueRow> {
  const fields = await asked.body('action', 'queue', 'forMs');
  const [action, queue] = [fields.oneOf('action', actions), fields.requiredText('queue')];
  const forMs = fields.integer('forMs', 1, longestPauseMs);
  // Pausing a misspelled name would seem to work.
  if (!(await catalog.queueNames()).includes(queue)) throw notFound(`there is no queue '${queue}'`);
  const lasts = action === 'pause' && forMs !== undefined ? ` for ${spanWords(forMs)}` : '';
  const meant = `${action} of queue ${JSON.stringify(queue)}${lasts}`;
  await asked.doing(meant, () =>
    action === 'resume' ? catalog.resume(queue) : catalog.pause(queue, { for: forMs }),
  );
  asked.did(meant);
  return queueRow(await catalog.queue(queue));
}
