import type { Trouble, TroubleCode } from '../../../lib/dashboard/api.js';
import { hrefOf } from '../core/route.js';

/** What is wrong, and what it means. Nothing where all is well. */
export function TroubleList({ troubles }: { troubles: readonly Trouble[] }) {
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles" aria-label="What is wrong">
      {troubles.map(({ code, level, queue, message, advice }) => (
        <li key={`${code} ${queue ?? ''} ${message}`} class={`trouble is-${level}`}>
          <span class="trouble-mark" aria-hidden="true" />
          <div>
            <p class="trouble-what">
              <span class="visually-hidden">{level === 'error' ? 'Error: ' : 'Warning: '}</span>
              {message}
            </p>
            <p class="trouble-advice">
              {advice} {queue !== undefined && linkFor(code, queue)}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** To what it is about. */
function linkFor(code: TroubleCode, queue: string) {
  if (code === 'dying') return <a href={hrefOf('failures', { queue })}>Its failures</a>;
  const state = code === 'parked' ? 'parked' : 'waiting';
  return <a href={hrefOf('tasks', { queue, state })}>Its {state} tasks</a>;
}

/** A mark beside a queue that something is wrong with. */
export function TroubleMark({ troubles, queue }: { troubles: readonly Trouble[]; queue: string }) {
  const worst = troubles.find((trouble) => trouble.queue === queue);
  if (!worst) return null;
  return (
    <span class={`mark is-${worst.level}`} title={`${worst.message} ${worst.advice}`}>
      <span class="visually-hidden">{worst.message}</span>
    </span>
  );
}
