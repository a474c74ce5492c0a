import type { Invariant } from '../../history/violation.js';

/** No process ends unless it is killed, kills itself as it was told, or is asked to stop; then it does end. */
export const nobodyEndsByItself: Invariant = (history, complain) => {
  for (const event of history) {
    if (event.type === 'exited') complain(event, `${event.process} ended by itself, with ${event.code}`);
    if (event.type === 'hung') complain(event, `${event.process} did not end, though it was asked to`);
  }
};
