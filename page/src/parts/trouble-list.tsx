import { useState } from 'preact/hooks';
import type { Trouble, TroubleCode } from '../../../lib/dashboard/api.js';
import { hrefOf } from '../core/route.js';
import { counted } from '../core/words.js';

const shownAtOnce = 8;

/** What is wrong, and what it means, the worst first. Nothing where all is well. */
export function TroubleList({ troubles }: { troubles: readonly Trouble[] }) {
  const [isWhole, showWhole] = useState(false);
  if (troubles.length === 0) return null;
  const shown = isWhole ? troubles : troubles.slice(0, shownAtOnce);
  const more = troubles.length - shown.length;
  return (
    <ul class="troubles" aria-label="What is wrong">
      {shown.map(({ code, level, queue, message, advice }) => (
        <li key={`${code} ${queue ?? ''} ${message}`} class={`trouble is-${level}`}>
          <span class="trouble-mark" aria-hidden="true" />
          <div>
            <p class="trouble-what">
              <span class="visually-hidden">{level === 'error' ? 'Error: ' : 'Warning: '}</span>
              {message}
            </p>
            <p class="trouble-advice">
              <WithCode text={advice} /> {queue !== undefined && linkFor(code, queue)}
            </p>
          </div>
        </li>
      ))}
      {more > 0 && (
        <li>
          <button type="button" class="button is-small" onClick={() => showWhole(true)}>
            Show {counted(more)} more
          </button>
        </li>
      )}
    </ul>
  );
}

/** What stands between backticks is code. */
function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}

/** To what it is about. */
function linkFor(code: TroubleCode, queue: string) {
  if (code === 'dying') return <a href={hrefOf('failures', { queue })}>Its failures</a>;
  if (code === 'slots-overdue') return <a href={hrefOf('schedules', { queue })}>Its schedules</a>;
  const state = code === 'parked' ? 'parked' : 'waiting';
  return <a href={hrefOf('tasks', { queue, state })}>Its {state} tasks</a>;
}

/** A mark beside a queue that something is wrong with. */
export function TroubleMark({ troubles, queue }: { troubles: readonly Trouble[]; queue: string }) {
  const worst = troubles.find((trouble) => trouble.queue === queue);
  if (!worst) return null;
  return (
    <span class={`mark is-${worst.level}`} title={`${worst.message} ${worst.advice.replaceAll('`', '')}`}>
      <span class="visually-hidden">{worst.message}</span>
    </span>
  );
}
