import type { Invariant } from '../../history/violation.js';

/** What the store counts in each state is what it lists there. */
export const countsAgree: Invariant = (history, complain) => {
  const listed = new Map<string, number>();
  for (const event of history) {
    if (event.type !== 'listed') continue;
    const place = `${event.queue} ${event.state}`;
    listed.set(place, (listed.get(place) ?? 0) + 1);
  }
  for (const event of history) {
    if (event.type !== 'counted') continue;
    const { queue, state, count } = event;
    const found = listed.get(`${queue} ${state}`) ?? 0;
    if (found !== count)
      complain(event, `queue ${queue} counts ${count} tasks as ${state}, and lists ${found}`);
  }
};
