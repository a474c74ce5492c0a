import type { ClaimRequest, TaskStore } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import { lastOffersMs } from './drain.js';
import { TurningPoint } from './turning-point.js';

/** With no further claim to come: takes nothing, and gives back what a lost answer left in the runner's name. */
export async function handBackUnheard(
  tasks: TaskStore,
  clock: Clock,
  queues: ReadonlySet<string>,
  request: Pick<ClaimRequest, 'leaseMs' | 'runner' | 'holding'>,
): Promise<void> {
  let isAnswered = false;
  const answered = new TurningPoint(clock, () => isAnswered);
  void tasks
    .claim({ ...request, queues: Array.from(queues, (queue) => ({ queue, limit: 0 })), limit: 0 })
    .catch(() => undefined)
    .then(() => {
      isAnswered = true;
      answered.changed();
    });
  await answered.within(lastOffersMs);
}
