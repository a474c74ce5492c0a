import type { ComponentChildren } from 'preact';
import type { QueueRow, StateCounts, TaskState, Trouble } from '../../../lib/dashboard/api.js';
import { counted, spanWords } from '../core/words.js';
import { hrefOfTasks } from '../tasks/task-view.js';
import { said, Spark } from './spark.js';
import { spanWordsOf, type ChartSpan } from './span-switch.js';
import { TroubleMark } from './trouble-list.js';

const shown: readonly TaskState[] = ['waiting', 'pending', 'scheduled', 'dead', 'parked'];

export function QueueTable({
  queues,
  troubles,
  span,
  extra,
}: {
  queues: readonly QueueRow[];
  troubles: readonly Trouble[];
  span: ChartSpan;
  /** What stands at the end of each row. */
  extra?: (queue: QueueRow) => ComponentChildren;
}) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Queues">
      <table class="table">
        <thead>
          <tr>
            <th>Queue</th>
            {shown.map((state) => (
              <th key={state} class="right">
                {state}
              </th>
            ))}
            <th class="right">Oldest waits</th>
            <th class="right">Runners</th>
            <th>Runs, {spanWordsOf(span)}</th>
            {extra && (
              <th>
                <span class="visually-hidden">What to do</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <tr key={queue.name}>
              <td>
                <TroubleMark troubles={troubles} queue={queue.name} />
                <a href={hrefOfTasks({ queue: [queue.name] })}>{queue.name}</a>
                {queue.isPaused && <PausedBadge queue={queue} />}
              </td>
              {shown.map((state) => (
                <td key={state} class="right num">
                  <Count counts={queue.counts} state={state} queue={queue.name} />
                </td>
              ))}
              <td class="right num">
                {queue.oldestWaitingMs === undefined ? (
                  <span class="faint">–</span>
                ) : (
                  spanWords(queue.oldestWaitingMs)
                )}
              </td>
              <td class="right num" title={queue.runners.join(', ')}>
                {counted(queue.runners.length)}
              </td>
              <td title={said(queue.charts[span], spanWordsOf(span))}>
                <Spark chart={queue.charts[span]} over={spanWordsOf(span)} />
              </td>
              {extra && <td class="right">{extra(queue)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PausedBadge({ queue: { pausedForMs } }: { queue: QueueRow }) {
  const meaning =
    pausedForMs === undefined
      ? 'Nothing starts until it is resumed.'
      : `It goes on by itself in ${spanWords(pausedForMs)}.`;
  return (
    <span class="badge is-paused" title={meaning}>
      paused
    </span>
  );
}

function Count({ counts, state, queue }: { counts: StateCounts; state: TaskState; queue: string }) {
  const count = counts[state];
  if (count === 0) return <span class="faint">0</span>;
  const isBad = state === 'dead' || state === 'parked';
  return (
    <a class={isBad ? 'bad' : 'quiet'} href={hrefOfTasks({ queue: [queue], state: [state] })}>
      {counted(count)}
      <span class="visually-hidden"> {state}</span>
    </a>
  );
}
