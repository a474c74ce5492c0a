import { nameOf } from '../history-event.js';
import type { Invariant } from '../violation.js';

interface Run {
  readonly process: string;
  readonly isOver: boolean;
}

/**
 * A run whose outcome the store did not take is done in vain, and done again: its process died, or its lease ended. There are at
 * most as many as slots were lost by that.
 */
export const extraRunsAreExcused: Invariant = (history, complain) => {
  const slots = new Map<string, number>();
  const open = new Map<string, Run>();
  const succeeded = new Set<string>();
  const takenBack = new Set<string>();
  const lost = new Set<string>();
  let inVain = 0;
  let allowed = 0;
  for (const event of history) {
    if (event.type === 'up') slots.set(event.process, event.concurrency);
    if (event.type === 'died' || event.type === 'stalled') allowed += slots.get(event.process) ?? 0;
    if (event.type === 'lease-ended') {
      allowed += 1;
      lost.add(`${nameOf(event)} ${event.epoch}`);
    }
    if (event.type === 'stored') succeeded.delete(nameOf(event));
    if (event.type === 'settled' && event.outcome === 'succeeded') succeeded.add(nameOf(event));
    if (event.type === 'started') {
      const run = `${nameOf(event)} ${event.epoch}`;
      if (open.has(run)) complain(event, `task ${event.id}: epoch ${event.epoch} was begun twice`);
      if (succeeded.has(nameOf(event)) && !takenBack.has(run))
        complain(event, `task ${event.id} runs, though it has succeeded`);
      if (lost.has(run)) complain(event, `task ${event.id} is begun after its lease`);
      open.set(run, { process: event.process, isOver: takenBack.has(run) });
    }
    if (event.type === 'died')
      for (const [key, run] of open)
        if (run.process === event.process && !run.isOver) {
          inVain++;
          open.set(key, { ...run, isOver: true });
        }
    if (event.type !== 'settled' && event.type !== 'lease-ended' && event.type !== 'taken-back') continue;
    const key = `${nameOf(event)} ${event.epoch}`;
    const run = open.get(key);
    if (run && !run.isOver && event.type === 'lease-ended') inVain++;
    if (run) open.set(key, { ...run, isOver: true });
    if (event.type !== 'taken-back') continue;
    // The runner may yet begin what it was given before that.
    if (event.isLate) takenBack.add(key);
    else if (run && !run.isOver) complain(event, `task ${event.id} was taken back while it ran`);
  }
  const hasRest = history.some(({ type }) => type === 'rest');
  for (const [key, run] of open)
    if (hasRest && !run.isOver)
      complain(undefined, `the run ${key} of ${run.process} was neither settled nor lost`);
  if (inVain > allowed) complain(undefined, `${inVain} runs were in vain, at most ${allowed} can be excused`);
};
