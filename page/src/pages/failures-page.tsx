import { useState } from 'preact/hooks';
import type { FailureGroup, TaskAction } from '../../../lib/dashboard/api.js';
import { useOverview } from '../core/overview.js';
import { useMay, usePage } from '../core/page-parts.js';
import { hrefOf, showAs } from '../core/route.js';
import { counted, many } from '../core/words.js';
import { Moment } from '../parts/moment.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Loaded } from '../parts/states.js';
import { ConfirmAct, type Intent } from '../tasks/confirm-act.js';
import { TaskFilters } from '../tasks/task-filters.js';
import { isMerged } from '../tasks/order-words.js';
import { useFailures } from '../tasks/use-failures.js';
import {
  filterOf,
  hrefOfTasks,
  isFiltered,
  matchWords,
  readTaskView,
  taskViewQuery,
  type TaskView,
} from '../tasks/task-view.js';

export function FailuresPage({ query }: { query: URLSearchParams }) {
  const { aheadMs } = usePage();
  const view: TaskView = { ...readTaskView(query), state: [], error: '', isOldestFirst: false };
  const [intent, setIntent] = useState<Intent>();
  const mayOperate = useMay('operate');
  const failures = useFailures(view);
  const isLatest = isMerged(['dead'], view.queue, useOverview().data?.queues ?? []);
  const change = (change: Partial<TaskView>) =>
    showAs(hrefOf('failures', taskViewQuery({ ...view, ...change })));
  const intend = (action: TaskAction, { job, error }: FailureGroup) =>
    setIntent({
      action,
      which: {
        filter: { ...filterOf(view, Date.now() + aheadMs), state: ['dead'], job: [job], error },
      },
      what: matchWords({ ...view, state: ['dead'], job: [job], error }),
    });
  return (
    <>
      <PageHead title="Failures">
        {failures.data && (
          <span class="faint num">
            {failures.data.isComplete ? '' : isLatest ? 'the latest ' : 'the first '}
            {many(failures.data.count, 'dead task')}
          </span>
        )}
      </PageHead>
      <TaskFilters view={view} onChange={change} />
      <Loaded of={failures} what="the failures">
        {({ groups, isComplete, count }) => (
          <>
            {!isComplete && (
              <p class="hint" role="status">
                {failures.isLoading
                  ? `Looking further: ${many(count, 'dead task')} so far.`
                  : `There are more dead tasks: the groups hold ${isLatest ? 'the latest ' : ''}${counted(count)} of them. `}
                {!failures.isLoading && (
                  <button type="button" class="button is-small" onClick={failures.more}>
                    Look at more
                  </button>
                )}
              </p>
            )}
            {groups.length === 0 && isComplete && <NoFailures view={view} />}
            {groups.length > 0 && (
              <ul class="groups">
                {groups.map((group) => (
                  <Group
                    key={`${group.job} ${group.error}`}
                    group={group}
                    href={hrefOfTasks({ ...view, state: ['dead'], job: [group.job], error: group.error })}
                    onAct={mayOperate ? (action) => intend(action, group) : undefined}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {intent && (
        <ConfirmAct
          intent={intent}
          onClose={(hasActed) => {
            setIntent(undefined);
            if (hasActed) failures.reload();
          }}
        />
      )}
    </>
  );
}

function NoFailures({ view }: { view: TaskView }) {
  return (
    <section class="card">
      <Empty title={isFiltered(view) ? 'No failure matches.' : 'Nothing has died.'}>
        {isFiltered(view) ? (
          <a href={hrefOf('failures')}>Clear the filter</a>
        ) : (
          'Tasks come here when their last attempt has failed.'
        )}
      </Empty>
    </section>
  );
}

function Group({
  group,
  href,
  onAct,
}: {
  group: FailureGroup;
  /** Its tasks, as far as they are on view. */
  href: string;
  onAct?: (action: TaskAction) => void;
}) {
  const { job, error, count, queues, firstAt, lastAt, sample } = group;
  return (
    <li class="card group">
      <div class="group-text">
        <p class="group-head">
          <a href={href} class="row-link">
            {job}
          </a>
          <span class="faint">in {queues.join(', ')}</span>
        </p>
        <p class="mono group-error">{error}</p>
        <p class="faint">
          first <Moment at={firstAt} />, last <Moment at={lastAt} /> ·{' '}
          <a href={hrefOf('task', { queue: sample.queue, id: sample.id })}>the latest one</a>
        </p>
      </div>
      <span class="group-count num" title={many(count, 'dead task')}>
        {counted(count)}
      </span>
      {onAct && (
        <div class="group-buttons">
          <button
            type="button"
            class="button is-main"
            aria-label={`Redrive ${many(count, 'task')} of ${job}`}
            onClick={() => onAct('retry')}
          >
            Redrive
          </button>
          <button
            type="button"
            class="button"
            aria-label={`Remove ${many(count, 'task')} of ${job}`}
            onClick={() => onAct('remove')}
          >
            Remove
          </button>
        </div>
      )}
    </li>
  );
}
