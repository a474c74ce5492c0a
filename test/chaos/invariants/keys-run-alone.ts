import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

type Started = HistoryEvent & { type: 'started' };

/** Of the tasks of one key, which are unique until they are completed, one runs at a time; a run without a lease counts no more. */
export const keysRunAlone: Invariant = (history, complain) => {
  const keys = new Map<string, string>();
  const running = new Map<string, Started>();
  for (const event of history)
    if (event.type === 'enqueue' && event.key !== undefined)
      keys.set(nameOf(event), `${event.queue}/${event.key}`);
  for (const event of history) {
    if (event.type === 'died' || event.type === 'exited')
      for (const [key, { process }] of running) if (process === event.process) running.delete(key);
    const key = 'id' in event ? keys.get(nameOf(event)) : undefined;
    if (key === undefined) continue;
    const other = running.get(key);
    const isOver = ['ended', 'aborted', 'offered'].includes(event.type);
    if (isOver && other?.id === (event as Started).id) running.delete(key);
    // A claim of the same task says that the run before has lost its lease.
    if (event.type === 'claimed' && other?.id === event.id) running.delete(key);
    if (event.type !== 'started') continue;
    if (other && other.id !== event.id)
      complain(event, `task ${event.id} runs in ${event.process} beside ${other.id} of the same key`);
    running.set(key, event);
  }
};
