import {
  statesForAction,
  type TaskAction,
  type TaskFilter,
  type TaskRow,
  type TaskState,
} from '../../../lib/dashboard/api.js';
import { actionWords } from '../core/state-words.js';
import { many } from '../core/words.js';
import { matching } from './act-on-tasks.js';
import type { Intent } from './confirm-act.js';

export const taskActions: readonly TaskAction[] = ['retry', 'runNow', 'cancel', 'remove'];

/** What can be done with the tasks that are selected, or with all that match. */
export function SelectionBar({
  selected,
  onIntent,
  onClear,
}: {
  selected: readonly TaskRow[];
  onIntent: (intent: Intent) => void;
  onClear: () => void;
}) {
  const isPossible = (action: TaskAction) => {
    const possible: readonly TaskState[] = statesForAction[action];
    return selected.some(({ state }) => possible.includes(state));
  };
  return (
    <div class="selection-bar" role="group" aria-label="What to do with the selected tasks">
      <span class="num">{many(selected.length, 'task')} selected</span>
      {taskActions.filter(isPossible).map((action) => (
        <button
          key={action}
          type="button"
          class="button is-small"
          onClick={() => onIntent({ action, which: { refs: selected } })}
        >
          {actionWords[action].label}
        </button>
      ))}
      <button type="button" class="button is-small is-quiet" onClick={onClear}>
        Clear selection
      </button>
    </div>
  );
}

/** A menu of what can be done with all that match. */
export function MatchMenu({
  filter,
  what,
  onIntent,
}: {
  filter: () => TaskFilter;
  what: string;
  onIntent: (intent: Intent) => void;
}) {
  const state = filter().state;
  const possible = taskActions.filter((action) => matching({ state }, action));
  return (
    <details class="menu">
      <summary class="button is-small">All that match …</summary>
      <div class="menu-list">
        {possible.map((action) => (
          <button
            key={action}
            type="button"
            onClick={(event) => {
              event.currentTarget.closest('details')!.open = false;
              onIntent({ action, which: matching(filter(), action)!, what });
            }}
          >
            {actionWords[action].label} all
          </button>
        ))}
      </div>
    </details>
  );
}
