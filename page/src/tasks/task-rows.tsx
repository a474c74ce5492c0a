import { useRef } from 'preact/hooks';
import type { TaskRow } from '../../../lib/dashboard/api.js';
import { hrefOf } from '../core/route.js';
import { Elapsed, Moment } from '../parts/moment.js';
import { ProgressBar } from '../parts/progress-bar.js';
import { StateBadge } from '../parts/state-badge.js';
import { keyOf } from './use-task-pages.js';
import { useWindow } from './use-window.js';

interface Selecting {
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (row: TaskRow, isSelected: boolean) => void;
  readonly onSelectAll: (isSelected: boolean) => void;
}

/** Thousands of rows, of which only those near the eye are drawn. */
export function TaskRows({
  rows,
  receivedAt,
  selecting,
}: {
  rows: readonly TaskRow[];
  receivedAt: number;
  selecting?: Selecting;
}) {
  const place = useRef<HTMLTableSectionElement>(null);
  const { from, to, rowHeight } = useWindow(place, rows.length);
  const columns = selecting ? 7 : 6;
  return (
    <table class="table task-table" aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {selecting && (
            <th class="tick">
              <input
                type="checkbox"
                aria-label={`Select the ${rows.length} tasks of this list`}
                checked={rows.length > 0 && rows.every((row) => selecting.selected.has(keyOf(row)))}
                onChange={(event) => selecting.onSelectAll(event.currentTarget.checked)}
              />
            </th>
          )}
          <th>Job</th>
          <th>State</th>
          <th>Params, or what went wrong</th>
          <th>Queue</th>
          <th class="right">Attempt</th>
          <th class="right">When</th>
        </tr>
      </thead>
      <tbody ref={place}>
        <Gap rows={from} rowHeight={rowHeight} columns={columns} />
        {rows.slice(from, to).map((row, at) => (
          <Row key={keyOf(row)} row={row} at={from + at + 2} receivedAt={receivedAt} selecting={selecting} />
        ))}
        <Gap rows={rows.length - to} rowHeight={rowHeight} columns={columns} />
      </tbody>
    </table>
  );
}

function Gap({ rows, rowHeight, columns }: { rows: number; rowHeight: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  );
}

function Row({
  row,
  at,
  receivedAt,
  selecting,
}: {
  row: TaskRow;
  at: number;
  receivedAt: number;
  selecting?: Selecting;
}) {
  const { queue, id, job, state, attempt, retries, error, reason, params } = row;
  const isSelected = selecting?.selected.has(keyOf(row));
  const trouble = reason ?? (state === 'succeeded' ? undefined : error);
  return (
    <tr aria-rowindex={at} class={isSelected ? 'is-selected' : undefined}>
      {selecting && (
        <td class="tick">
          <input
            type="checkbox"
            aria-label={`Select ${job} ${id}`}
            checked={isSelected}
            onChange={(event) => selecting.onSelect(row, event.currentTarget.checked)}
          />
        </td>
      )}
      <td class="cell-job">
        <a class="row-link" href={hrefOf('task', { queue, id })}>
          {job}
        </a>
        <span class="mono faint cut">{id}</span>
      </td>
      <td class="cell-state">
        <StateBadge state={state} isStopping={row.isCancelRequested} />
      </td>
      <td class="cell-what">
        {row.progress && state === 'pending' ? (
          <ProgressBar progress={row.progress} of={job} />
        ) : (
          <span class={trouble ? 'mono cut bad' : 'mono cut faint'} title={trouble ?? params}>
            {trouble ?? params}
          </span>
        )}
      </td>
      <td class="cell-queue">
        <span class="cut">{queue}</span>
      </td>
      <td class="right num cell-attempt" title={`Attempt ${attempt} of at most ${retries + 1}`}>
        {attempt}/{retries + 1}
      </td>
      <td class="right num cell-when">
        {row.runningMs === undefined ? (
          <Moment at={row.finishedAt ?? row.dueAt} />
        ) : (
          <Elapsed ms={row.runningMs} receivedAt={receivedAt} />
        )}
      </td>
    </tr>
  );
}
