import { nameOf } from '../history-event.js';
import { isLive } from '../seen-tasks.js';
import type { Invariant } from '../violation.js';

/** Once nothing fails any more all tasks come to their end, nothing begins after that, and no handler goes on for ever. */
export const restIsReached: Invariant = (history, complain) => {
  if (!history.some(({ type }) => type === 'healed')) return;
  let isAtRest = false;
  const running = new Map<string, string>();
  const died = new Set<string>();
  const gone = new Set<string>();
  for (const event of history) {
    if (event.type === 'rest') isAtRest = true;
    if (event.type === 'died') died.add(event.process);
    if (event.type === 'died' || event.type === 'down') gone.add(event.process);
    if (event.type === 'started' || event.type === 'claimed') {
      if (isAtRest) complain(event, `task ${event.id} is ${event.type} after all had come to rest`);
      if (died.has(event.process) && event.type === 'started')
        complain(event, `${event.process} runs, though it has died`);
    }
    if (event.type === 'started') running.set(`${nameOf(event)} ${event.epoch}`, event.process);
    if (event.type === 'ended') running.delete(`${nameOf(event)} ${event.epoch}`);
    if (event.type === 'listed' && isLive(event.state))
      complain(event, `task ${event.id} is still ${event.state}`);
  }
  if (!isAtRest) complain(undefined, 'it never came to rest');
  for (const [run, process] of running)
    if (!gone.has(process)) complain(undefined, `the handler of ${run} never ended in ${process}`);
};
