import type { JobList, ScheduleRow } from '../../../lib/dashboard/api.js';
import { useQueueNames } from '../core/overview.js';
import { useMay } from '../core/page-parts.js';
import { useResource } from '../core/resource.js';
import { hrefOf, showAs } from '../core/route.js';
import { searchOf } from '../core/query.js';
import { counted } from '../core/words.js';
import { Moment } from '../parts/moment.js';
import { PageHead } from '../parts/page-head.js';
import { ScheduleButtons } from '../parts/schedule-buttons.js';
import { Empty, Loaded } from '../parts/states.js';
import { useSchedules } from '../schedules/use-schedules.js';
import { NameFilter, TextFilter } from '../tasks/task-filters.js';

export function SchedulesPage({ query }: { query: URLSearchParams }) {
  const filter = {
    queue: query.getAll('queue').filter(Boolean) as readonly string[],
    job: query.getAll('job').filter(Boolean) as readonly string[],
    text: query.get('text') ?? '',
    isPaused: query.get('isPaused') === 'true' ? true : undefined,
  };
  const change = (change: Partial<typeof filter>) => showAs(hrefOf('schedules', { ...filter, ...change }));
  const queues = useQueueNames();
  const jobs =
    useResource<JobList>('jobs', {}, { refresh: 'rarely' }).data?.jobs.map(({ name }) => name) ?? [];
  const schedules = useSchedules(filter);
  const isFiltered = searchOf(filter) !== '';
  return (
    <>
      <PageHead title="Schedules" />
      <div class="filters" role="search">
        <TextFilter
          text={filter.text}
          onChange={(text) => change({ text })}
          placeholder="Search ids, jobs, rules"
        />
        <NameFilter
          label="Queue"
          names={queues}
          chosen={filter.queue}
          onChange={(queue) => change({ queue })}
        />
        <NameFilter label="Job" names={jobs} chosen={filter.job} onChange={(job) => change({ job })} />
        <label class="choice is-tick">
          <input
            type="checkbox"
            checked={filter.isPaused === true}
            onChange={(event) => change({ isPaused: event.currentTarget.checked || undefined })}
          />
          <span>Paused only</span>
        </label>
      </div>
      <Loaded of={schedules} what="the schedules">
        {({ rows, hasMore }) =>
          rows.length === 0 && !hasMore ? (
            <section class="card">
              <Empty title={isFiltered ? 'No schedule matches.' : 'There is no schedule.'}>
                {isFiltered ? (
                  <a href={hrefOf('schedules')}>Clear the filter</a>
                ) : (
                  <>
                    <code>@Periodic</code>, <code>@Cron</code> and <code>enqueue</code> with{' '}
                    <code>every</code> or <code>cron</code> make schedules.
                  </>
                )}
              </Empty>
            </section>
          ) : (
            <section class="card">
              <ScheduleTable rows={rows} />
              {hasMore && (
                <p class="centred">
                  <button type="button" class="button" onClick={schedules.more}>
                    Show more schedules
                  </button>
                </p>
              )}
            </section>
          )
        }
      </Loaded>
    </>
  );
}

function ScheduleTable({ rows }: { rows: readonly ScheduleRow[] }) {
  const mayOperate = useMay('operate');
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Schedules">
      <table class="table">
        <thead>
          <tr>
            <th>Job</th>
            <th>Rule</th>
            <th>Queue</th>
            <th class="right">Last slot</th>
            <th class="right">Next slot</th>
            <th class="right">Fired</th>
            {mayOperate && (
              <th>
                <span class="visually-hidden">What to do</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.queue} ${row.id}`}>
              <td>
                <a class="row-link" href={hrefOf('schedule', { queue: row.queue, id: row.id })}>
                  {row.job}
                </a>
                {row.id !== row.job && <span class="mono faint cut block">{row.id}</span>}
              </td>
              <td>
                <span title={row.rule}>{row.words ?? row.rule ?? 'a rule of another version'}</span>
                {row.timeZone && !row.words?.includes(row.timeZone) && (
                  <span class="faint block">{row.timeZone}</span>
                )}
              </td>
              <td>{row.queue}</td>
              <td class="right num">
                <Moment at={row.lastSlot} />
              </td>
              <td class="right num">
                {row.isPaused ? <span class="badge is-paused">paused</span> : <Moment at={row.nextSlot} />}
              </td>
              <td class="right num" title={`${counted(row.skipped)} passed over`}>
                {counted(row.fired)}
              </td>
              {mayOperate && (
                <td class="right">
                  <ScheduleButtons schedule={row} isSmall />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
