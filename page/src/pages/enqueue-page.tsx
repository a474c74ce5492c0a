import type { JobDetails, JobList } from '../../../lib/dashboard/api.js';
import { useMay } from '../core/page-parts.js';
import { useResource } from '../core/resource.js';
import { hrefOf, showAs } from '../core/route.js';
import { EnqueueForm } from '../forms/enqueue-form.js';
import { Icon } from '../parts/icon.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Loaded } from '../parts/states.js';

export function EnqueuePage({ query }: { query: URLSearchParams }) {
  const list = useResource<JobList>('jobs', {}, { refresh: 'rarely' });
  const mayEnqueue = useMay('enqueue');
  const name = query.get('job') ?? '';
  return (
    <>
      <a class="back" href={hrefOf('jobs')}>
        <Icon name="back" /> Jobs
      </a>
      <PageHead title="Enqueue a job" />
      {mayEnqueue ? (
        <Loaded of={list} what="the jobs">
          {({ jobs }) => (
            <section class="card card-body form">
              <div class="field">
                <label for="job">Job</label>
                <select
                  id="job"
                  value={name}
                  onChange={(event) => showAs(hrefOf('enqueue', { job: event.currentTarget.value }))}
                >
                  <option value="">choose …</option>
                  {jobs
                    .filter(({ isEnqueuable }) => isEnqueuable)
                    .map((job) => (
                      <option key={job.name} value={job.name}>
                        {job.name}
                      </option>
                    ))}
                </select>
              </div>
              {name && <FormOf key={name} name={name} />}
            </section>
          )}
        </Loaded>
      ) : (
        <Empty title="You may not enqueue.">
          This needs the role “enqueue”. Ask whoever runs the application.
        </Empty>
      )}
    </>
  );
}

function FormOf({ name }: { name: string }) {
  // What somebody fills in is not replaced under his hands.
  const job = useResource<JobDetails>('job', { name }, { refresh: 'never' });
  return (
    <Loaded of={job} what="the job">
      {({ form }) =>
        form ? (
          <EnqueueForm job={name} form={form} />
        ) : (
          <Empty title={`${name} cannot be enqueued from here.`}>
            The process that serves this page does not provide it.
          </Empty>
        )
      }
    </Loaded>
  );
}
