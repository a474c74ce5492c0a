import type { Invariant } from '../../history/violation.js';

/** A task that commits its effect with its success has done it once if it succeeded, and not at all if not. */
export const committedOnce: Invariant = (history, complain) => {
  for (const event of history) {
    if (event.type === 'left')
      complain(event, `task ${event.id} is nowhere, and its effect is there ${event.rows} times`);
    if (event.type !== 'listed' || event.rows === undefined) continue;
    const wanted = event.state === 'succeeded' ? 1 : 0;
    if (event.rows !== wanted)
      complain(event, `task ${event.id} is ${event.state}, and its effect is there ${event.rows} times`);
  }
};
