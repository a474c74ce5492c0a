import type { JobList, JobRow } from '../../../lib/dashboard/api.js';
import { useMay } from '../core/page-parts.js';
import { useResource } from '../core/resource.js';
import { hrefOf, showAs } from '../core/route.js';
import { counted, spanWords } from '../core/words.js';
import { Moment } from '../parts/moment.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Loaded } from '../parts/states.js';
import { TextFilter } from '../tasks/task-filters.js';
import { hrefOfTasks } from '../tasks/task-view.js';

export function JobsPage({ query }: { query: URLSearchParams }) {
  const list = useResource<JobList>('jobs');
  const text = query.get('text') ?? '';
  const isShown = ({ name, queues }: JobRow) =>
    [name, ...queues].some((part) => part.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <PageHead title="Jobs" />
      <div class="filters" role="search">
        <TextFilter
          text={text}
          onChange={(text) => showAs(hrefOf('jobs', { text }))}
          placeholder="Search jobs and queues"
        />
      </div>
      <Loaded of={list} what="the jobs">
        {({ jobs }) => {
          const shown = jobs.filter(isShown);
          return (
            <section class="card">
              {shown.length > 0 ? (
                <JobTable jobs={shown} />
              ) : (
                <Empty title={text ? 'No job matches.' : 'No job is known.'}>
                  {text ? (
                    <a href={hrefOf('jobs')}>Show all</a>
                  ) : (
                    <>
                      Decorate a class with <code>@Job()</code> and provide it in a module.
                    </>
                  )}
                </Empty>
              )}
            </section>
          );
        }}
      </Loaded>
    </>
  );
}

function JobTable({ jobs }: { jobs: readonly JobRow[] }) {
  const mayEnqueue = useMay('enqueue');
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Jobs">
      <table class="table">
        <thead>
          <tr>
            <th>Job</th>
            <th>Queue</th>
            <th class="right">Succeeded</th>
            <th class="right">Failed</th>
            <th class="right">Died</th>
            <th class="right">Mean run</th>
            <th class="right">Mean wait</th>
            <th class="right">Last run</th>
            {mayEnqueue && (
              <th>
                <span class="visually-hidden">What to do</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.name}>
              <td>
                <a class="row-link" href={hrefOfTasks({ job: [job.name] })}>
                  {job.name}
                </a>
                {job.schedules > 0 && (
                  <a class="faint block" href={hrefOf('schedules', { job: job.name })}>
                    {counted(job.schedules)} {job.schedules === 1 ? 'schedule' : 'schedules'}
                  </a>
                )}
                {!job.isProvided && (
                  <span class="badge" title="The process that serves this page does not provide it.">
                    elsewhere
                  </span>
                )}
              </td>
              <td>{job.queues.join(', ')}</td>
              <td class="right num">{counted(job.succeeded)}</td>
              <td class="right num" title={job.lastError}>
                {job.failed > 0 ? (
                  <span class="bad">{counted(job.failed)}</span>
                ) : (
                  <span class="faint">0</span>
                )}
              </td>
              <td class="right num">
                {job.dead > 0 ? (
                  <a class="bad" href={hrefOfTasks({ job: [job.name], state: ['dead'] })}>
                    {counted(job.dead)}
                  </a>
                ) : (
                  <span class="faint">0</span>
                )}
              </td>
              <td class="right num">{job.meanRunMs === undefined ? '–' : spanWords(job.meanRunMs)}</td>
              <td class="right num">{job.meanWaitMs === undefined ? '–' : spanWords(job.meanWaitMs)}</td>
              <td class="right num">
                <Moment at={job.lastRunAt} />
              </td>
              {mayEnqueue && (
                <td class="right">
                  {job.isEnqueuable && (
                    <a
                      class="button is-small"
                      aria-label={`Enqueue ${job.name}`}
                      href={hrefOf('enqueue', { job: job.name })}
                    >
                      Enqueue
                    </a>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
