import {
  statesForAction,
  type TaskAction,
  type TaskFilter,
  type TaskRow,
  type TaskState,
} from '../../../lib/dashboard/api.js';
import { actionWords } from '../core/state-words.js';
import { counted, many } from '../core/words.js';
import { Menu } from '../parts/menu.js';
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
  // Nobody is told a number of which a part cannot be dealt with.
  const offers = taskActions.map((action) => {
    const possible: readonly TaskState[] = statesForAction[action];
    return { action, refs: selected.filter(({ state }) => possible.includes(state)) };
  });
  return (
    <div class="selection-bar" role="group" aria-label="What to do with the selected tasks">
      <span class="num">{many(selected.length, 'task')} selected</span>
      {offers
        .filter(({ refs }) => refs.length > 0)
        .map(({ action, refs }) => (
          <button
            key={action}
            type="button"
            class="button is-small"
            onClick={() => onIntent({ action, which: { refs } })}
          >
            {actionWords[action].label}
            {refs.length < selected.length && ` ${counted(refs.length)} of ${counted(selected.length)}`}
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
  /** What those in these states are. */
  what: (state: readonly TaskState[]) => string;
  onIntent: (intent: Intent) => void;
}) {
  const state = filter().state;
  const possible = taskActions.filter((action) => matching({ state }, action));
  return (
    <Menu label="All that match …">
      {possible.map((action) => (
        <button
          key={action}
          type="button"
          onClick={() => {
            const which = matching(filter(), action)!;
            onIntent({ action, which, what: what(which.filter.state) });
          }}
        >
          {actionWords[action].label} all
        </button>
      ))}
    </Menu>
  );
}
