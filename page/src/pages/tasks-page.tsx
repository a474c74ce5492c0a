import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TaskRow } from '../../../lib/dashboard/api.js';
import { useOverview } from '../core/overview.js';
import { useMay, usePage } from '../core/page-parts.js';
import { showAs } from '../core/route.js';
import { many } from '../core/words.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Failed, Loading } from '../parts/states.js';
import { ConfirmAct, type Intent } from '../tasks/confirm-act.js';
import { MatchMenu, SelectionBar } from '../tasks/selection-bar.js';
import { StateTabs } from '../tasks/state-tabs.js';
import { TaskFilters } from '../tasks/task-filters.js';
import { TaskRows } from '../tasks/task-rows.js';
import { orderWords } from '../tasks/order-words.js';
import {
  filterOf,
  hrefOfTasks,
  isFiltered,
  matchWords,
  readTaskView,
  type TaskView,
} from '../tasks/task-view.js';
import { keyOf, useTaskPages, type TaskPages } from '../tasks/use-task-pages.js';

export function TasksPage({ query }: { query: URLSearchParams }) {
  const { aheadMs } = usePage();
  const view = readTaskView(query);
  const [selected, select] = useState<ReadonlyMap<string, TaskRow>>(new Map());
  // Nothing moves under the hands of whoever selects.
  const pages = useTaskPages(view, selected.size > 0);
  const mayOperate = useMay('operate');
  const queues = useOverview().data?.queues ?? [];
  const [intent, setIntent] = useState<Intent>();
  const change = (change: Partial<TaskView>) => showAs(hrefOfTasks({ ...readTaskView(query), ...change }));
  // Nobody acts on what he no longer sees, by whichever way he left it.
  useEffect(() => select(new Map()), [query.toString()]);
  // Nor on what is no longer there; and what is, is in the state of which the list tells.
  useEffect(() => {
    const rows = new Map(pages.rows.map((row) => [keyOf(row), row]));
    select((selected) => {
      const left = [...selected.keys()].flatMap((key) =>
        rows.has(key) ? [[key, rows.get(key)!] as const] : [],
      );
      return selected.size > 0 ? new Map(left) : selected;
    });
  }, [pages.rows]);
  const chosen = useMemo(() => new Set(selected.keys()), [selected]);
  const put = (rows: readonly TaskRow[], isSelected: boolean) => {
    const next = new Map(selected);
    for (const row of rows) {
      if (isSelected) next.set(keyOf(row), row);
      else next.delete(keyOf(row));
    }
    select(next);
  };
  const selecting = mayOperate && {
    selected: chosen,
    onSelect: (row: TaskRow, isSelected: boolean) => put([row], isSelected),
    onSelectAll: (isSelected: boolean) => put(pages.rows, isSelected),
  };
  return (
    <>
      <PageHead title="Tasks">
        <button
          type="button"
          class="button is-small is-quiet"
          onClick={() => change({ isOldestFirst: !view.isOldestFirst })}
        >
          {orderWords(view, queues)}
        </button>
        {mayOperate && (
          <MatchMenu
            filter={() => filterOf(view, Date.now() + aheadMs)}
            what={(state) => matchWords({ ...view, state })}
            onIntent={setIntent}
          />
        )}
      </PageHead>
      <StateTabs view={view} />
      <TaskFilters view={view} onChange={change} />
      {view.error && (
        <p class="chip">
          <span class="mono cut">{view.error}</span>
          <button type="button" class="plain" onClick={() => change({ error: '' })}>
            any error
          </button>
        </p>
      )}
      {mayOperate && selected.size > 0 && (
        <SelectionBar
          selected={[...selected.values()]}
          onIntent={setIntent}
          onClear={() => select(new Map())}
        />
      )}
      <section class="card task-list" aria-label="Tasks">
        {pages.isStale && (
          <button type="button" class="stale" onClick={pages.reload}>
            Something may have happened since. Show the list as it is now
          </button>
        )}
        {pages.rows.length > 0 && (
          <TaskRows rows={pages.rows} receivedAt={pages.receivedAt} selecting={selecting || undefined} />
        )}
        <End pages={pages} view={view} />
      </section>
      {intent && (
        <ConfirmAct
          intent={intent}
          onClose={(hasActed) => {
            setIntent(undefined);
            if (!hasActed) return;
            select(new Map());
            pages.reload();
          }}
        />
      )}
    </>
  );
}

/** The end of the list: it asks for more when it comes near, and says why there is none. */
function End({ pages, view }: { pages: TaskPages; view: TaskView }) {
  const { rows, hasMore, isLoading, isNew, isTired, failure, more, tryAgain } = pages;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Looked at anew after each answer: what was in sight while one was under way still is.
    if (!hasMore || isTired || failure || isLoading) return;
    // The last of what is told at once is how it stands.
    const near = new IntersectionObserver((told) => told.at(-1)?.isIntersecting && more(), {
      rootMargin: '800px',
    });
    near.observe(end.current!);
    return () => near.disconnect();
  }, [hasMore, isTired, failure, isLoading, more, rows.length]);
  return (
    <div ref={end} class="list-end">
      {isNew && isLoading && <Loading what="tasks" />}
      {failure && <Failed failure={failure} reload={tryAgain} />}
      {!isNew && hasMore && isTired && (
        <div class="empty">
          <p class="empty-text">So far {many(rows.length, 'task')} found; not all have been looked at.</p>
          <button type="button" class="button" disabled={isLoading} onClick={more}>
            Search on
          </button>
        </div>
      )}
      {!isNew && hasMore && !isTired && !failure && <p class="faint centred">Loading more …</p>}
      {!isNew && !hasMore && rows.length > 0 && (
        <p class="faint centred num">{many(rows.length, 'task')}, no more</p>
      )}
      {!isNew && !hasMore && rows.length === 0 && !failure && <NoTasks view={view} />}
    </div>
  );
}

function NoTasks({ view }: { view: TaskView }) {
  if (isFiltered(view))
    return (
      <Empty title="No task matches.">
        <a href={hrefOfTasks({ state: view.state })}>Clear the filter</a>
      </Empty>
    );
  return (
    <Empty title={view.state.length > 0 ? `No task is ${view.state.join(' or ')}.` : 'There is no task.'}>
      Tasks that succeed are gone at once, unless <code>keep</code> or <code>retention</code> says otherwise.
    </Empty>
  );
}
