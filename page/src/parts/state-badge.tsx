import type { TaskState } from '../../../lib/dashboard/api.js';
import { stateMeanings } from '../core/state-words.js';

export function StateBadge({ state, isStopping = false }: { state: TaskState; isStopping?: boolean }) {
  return (
    <span class={`badge is-${state}`} title={stateMeanings[state]}>
      {isStopping ? 'stopping' : state}
    </span>
  );
}
