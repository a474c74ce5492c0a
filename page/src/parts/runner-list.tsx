import type { RunnerRow, RunningTask } from '../../../lib/dashboard/api.js';
import { hrefOf } from '../core/route.js';
import { counted, many } from '../core/words.js';
import { Elapsed, Moment } from './moment.js';
import { ProgressBar } from './progress-bar.js';
import { Empty } from './states.js';

/** Who runs tasks, and which right now. */
export function RunnerList({ runners, receivedAt }: { runners: readonly RunnerRow[]; receivedAt: number }) {
  return (
    <section class="card" aria-labelledby="runners">
      <header class="card-head">
        <h2 id="runners">Runners</h2>
      </header>
      {runners.length === 0 && (
        <Empty title="No runner is alive.">
          Tasks wait until a process starts whose <code>JobsModule</code> has a runner.
        </Empty>
      )}
      <ul class="runners">
        {runners.map((runner) => (
          <Runner key={runner.name} runner={runner} receivedAt={receivedAt} />
        ))}
      </ul>
    </section>
  );
}

function Runner({ runner, receivedAt }: { runner: RunnerRow; receivedAt: number }) {
  const { name, host, pid, version, concurrency, running, tasks, queues } = runner;
  return (
    <li class="runner">
      <div class="runner-head">
        <span class="runner-name" title={`${name}, nestjs-jobs ${version}`}>
          {host} <span class="faint num">{pid}</span>
        </span>
        <span class="faint">{queues.map((queue) => queue.name).join(', ')}</span>
        <span class="faint">
          since <Moment at={runner.startedAt} />
        </span>
        <Slots running={running} concurrency={concurrency} />
      </div>
      {tasks.length > 0 && (
        <ul class="running">
          {tasks.map((task) => (
            <Running key={`${task.queue} ${task.id}`} task={task} receivedAt={receivedAt} />
          ))}
        </ul>
      )}
      {running > tasks.length && tasks.length > 0 && (
        <p class="faint">and {many(running - tasks.length, 'more task')}</p>
      )}
    </li>
  );
}

function Slots({ running, concurrency }: { running: number; concurrency: number | null }) {
  return (
    <span class="slots" title="Tasks that run now, of the most at once">
      {concurrency !== null && <meter min={0} max={concurrency} value={running} aria-label="Slots taken" />}
      <span class="num">
        {counted(running)} of {concurrency === null ? '∞' : counted(concurrency)}
      </span>
    </span>
  );
}

function Running({ task, receivedAt }: { task: RunningTask; receivedAt: number }) {
  const { queue, id, job, progress, attempt, runningMs } = task;
  return (
    <li>
      <a href={hrefOf('task', { queue, id })}>{job}</a>
      <span class="faint cut">
        {progress?.note ?? (attempt !== undefined && attempt > 1 ? `attempt ${attempt}` : '')}
      </span>
      {progress ? <ProgressBar progress={progress} of={job} /> : <span />}
      <Elapsed ms={runningMs} receivedAt={receivedAt} />
    </li>
  );
}
