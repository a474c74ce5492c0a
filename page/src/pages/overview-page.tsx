import type { StateCounts } from '../../../lib/dashboard/api.js';
import { useOverview } from '../core/overview.js';
import { hrefOf, showAs } from '../core/route.js';
import { stateMeanings, states } from '../core/state-words.js';
import { counted } from '../core/words.js';
import { PageHead } from '../parts/page-head.js';
import { QueueTable } from '../parts/queue-table.js';
import { mostPressing } from '../parts/most-pressing.js';
import { RunChart } from '../parts/run-chart.js';
import { RunnerList } from '../parts/runner-list.js';
import { SpanSwitch, spanWordsOf, type ChartSpan } from '../parts/span-switch.js';
import { Empty, Loaded } from '../parts/states.js';
import { TroubleList } from '../parts/trouble-list.js';
import { hrefOfTasks } from '../tasks/task-view.js';

const shownQueues = 12;

export function OverviewPage({ query }: { query: URLSearchParams }) {
  const overview = useOverview();
  const span: ChartSpan = query.get('span') === 'day' ? 'day' : 'hour';
  return (
    <>
      <PageHead title="Overview">
        <SpanSwitch
          span={span}
          onChange={(span) => showAs(hrefOf('overview', { span: span === 'day' ? span : undefined }))}
        />
      </PageHead>
      <Loaded of={overview} what="the overview">
        {({ counts, charts, queues, runners, troubles }) => (
          <>
            <TroubleList troubles={troubles} />
            <Counts counts={counts} />
            <section class="card" aria-labelledby="runs">
              <header class="card-head">
                <h2 id="runs">Runs, {spanWordsOf(span)}</h2>
              </header>
              <div class="card-body">
                <RunChart chart={charts[span]} over={spanWordsOf(span)} />
              </div>
            </section>
            <section class="card" aria-labelledby="queues">
              <header class="card-head">
                <h2 id="queues">Queues</h2>
                {queues.length > shownQueues && (
                  <span class="faint num">
                    the {shownQueues} most pressing of {counted(queues.length)}
                  </span>
                )}
                <a href={hrefOf('queues')}>All about the queues</a>
              </header>
              {queues.length > 0 ? (
                <QueueTable
                  queues={mostPressing(queues, troubles, shownQueues)}
                  troubles={troubles}
                  span={span}
                />
              ) : (
                <Empty title="No queue is known yet.">
                  Enqueue a task, or start an application with a job.
                </Empty>
              )}
            </section>
            <RunnerList runners={runners} receivedAt={overview.receivedAt} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Counts({ counts }: { counts: StateCounts }) {
  return (
    <ul class="counts" aria-label="Tasks by state">
      {states.map((state) => (
        <li key={state}>
          <a href={hrefOfTasks({ state: [state] })} class={`count is-${state}`} title={stateMeanings[state]}>
            <span class="count-number num">{counted(counts[state])}</span>
            <span class="count-name">{state}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
