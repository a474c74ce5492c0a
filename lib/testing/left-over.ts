import type { TaskState } from '../task/task-record.js';
import { EndlessWorkError } from './errors.js';
import type { Ledger } from './ledger.js';
import type { TestStore } from './test-store.js';
import type { ResolvedTesting } from './testing-options.js';

const live: readonly TaskState[] = ['waiting', 'scheduled', 'pending'];
const mostNamed = 5;

/** Says what keeps work from coming to an end: which jobs run again and again, and what of them is left. */
export async function whatIsLeft(
  why: string,
  store: TestStore,
  ledger: Ledger,
  { patienceMs, mode }: Pick<ResolvedTesting, 'patienceMs' | 'mode'>,
): Promise<EndlessWorkError> {
  const left = await leftOf(store, ledger);
  const most = [...store.runsOf].sort(([, a], [, b]) => b - a).slice(0, mostNamed);
  const ran = most.map(([job, count]) => `${job} ${count} times`).join(', ');
  const said = `there is no end to it: ${why}. Run so far: ${ran || 'nothing'}. Left: ${left}. `;
  if (mode === 'real')
    return new EndlessWorkError(`${said}Resume what is paused, and let a runner run every queue`);
  return new EndlessWorkError(
    said +
      (store.running.size > 0
        ? `A handler that takes longer than ${patienceMs} ms of real time needs a higher \`patience\``
        : 'A task that enqueues itself, or snoozes, never ends by draining: use advance() with a time'),
  );
}

/** The tasks that are still to run, by job and state. */
async function leftOf(store: TestStore, ledger: Ledger): Promise<string> {
  const left = new Map<string, number>();
  const { catalog } = store.inner;
  const seen = new Set<string>();
  for (const ref of ledger.tasks) {
    const task = seen.has(`${ref.queue}\n${ref.id}`) ? undefined : await catalog.get(ref);
    seen.add(`${ref.queue}\n${ref.id}`);
    if (!task || !live.includes(task.state)) continue;
    const isPaused = await catalog.isPaused(task.queue);
    const state = task.state === 'pending' ? 'still running' : task.state;
    const what = `${task.job} ${state}${isPaused ? ` in the paused queue ${task.queue}` : ''}`;
    left.set(what, (left.get(what) ?? 0) + 1);
  }
  return Array.from(left, ([what, count]) => `${count} of ${what}`).join(', ') || 'nothing';
}
