import type { Overview, StateCounts } from '../../../lib/dashboard/api.js';
import { useCurrentInSight } from '../core/in-sight.js';
import { useCounts, useOverview } from '../core/overview.js';
import { stateMeanings, states } from '../core/state-words.js';
import { counted } from '../core/words.js';
import { hrefOfTasks, type TaskView } from './task-view.js';

/** The states as links, with the number of tasks in each, as far as that is known: a queue has counts, a search has none. */
export function StateTabs({ view }: { view: TaskView }) {
  const { data } = useOverview();
  const all = useCounts();
  const row = useCurrentInSight<HTMLElement>(view.state.join());
  const counts = countsOf(view, data, all);
  const tab = (state: TaskView['state'], label: string, meaning: string, count?: number) => {
    const isHere = view.state.join() === state.join();
    return (
      <li key={label}>
        <a href={hrefOfTasks({ ...view, state })} aria-current={isHere ? 'true' : undefined} title={meaning}>
          {label}
          {count !== undefined && (
            <span class={`tally ${label === 'dead' && count > 0 ? 'is-bad' : ''}`}>{counted(count)}</span>
          )}
        </a>
      </li>
    );
  };
  return (
    <nav class="tabs" aria-label="States" ref={row}>
      <ul>
        {tab([], 'all', 'Tasks in any state')}
        {states.map((state) => tab([state], state, stateMeanings[state], counts?.[state]))}
      </ul>
    </nav>
  );
}

function countsOf(
  { queue, job, text, error, sinceMs, from, to }: TaskView,
  overview: Overview | undefined,
  all: StateCounts | undefined,
): StateCounts | undefined {
  const isSearch = job.length || text || error || sinceMs || from || to;
  if (isSearch || queue.length > 1) return undefined;
  if (queue.length === 0) return all;
  return overview?.queues.find(({ name }) => name === queue[0])?.counts;
}
