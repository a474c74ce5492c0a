import type { ComponentChildren } from 'preact';
import type { TaskDetails, TaskError } from '../../../lib/dashboard/api.js';
import { spanWords } from '../core/words.js';
import { Elapsed, Moment } from '../parts/moment.js';

type Tone = 'calm' | 'good' | 'bad' | 'busy';

/** The life of a task: from its enqueue, attempt by attempt, to its end or to what comes next. */
export function TaskTimeline({
  task,
  receivedAt,
  errors,
}: {
  task: TaskDetails;
  receivedAt: number;
  errors: readonly TaskError[];
}) {
  const forgotten = task.failures - errors.length;
  const delay = task.dueAt - task.enqueuedAt;
  return (
    <section class="card" aria-labelledby="timeline">
      <header class="card-head">
        <h2 id="timeline">Timeline</h2>
      </header>
      <ol class="timeline">
        <Step tone="calm" at={task.enqueuedAt} title="Enqueued">
          {errors.length === 0 && delay > 1_000 && <p class="faint">to run {spanWords(delay)} later</p>}
          {task.scheduleId !== undefined && <p class="faint">by its schedule</p>}
        </Step>
        {forgotten > 0 && (
          <li class="step is-bad">
            <p class="faint">{forgotten} earlier failures, of which no more is known</p>
          </li>
        )}
        {errors.map((error, at) => (
          <Step key={at} tone="bad" at={error.at} title={`Attempt ${error.attempt} failed`}>
            <ErrorView error={error} isOpen={at === errors.length - 1} />
          </Step>
        ))}
        <Now task={task} receivedAt={receivedAt} />
      </ol>
    </section>
  );
}

/** Where it stands. */
function Now({ task, receivedAt }: { task: TaskDetails; receivedAt: number }) {
  const { state, attempt, startedAt, runningMs, dueAt, finishedAt, failures } = task;
  switch (state) {
    case 'pending':
      return (
        <Step tone="busy" at={startedAt} title={`Attempt ${attempt} runs now`}>
          {runningMs !== undefined && (
            <p class="faint">
              for <Elapsed ms={runningMs} receivedAt={receivedAt} />
              {task.isCancelRequested && ', asked to stop'}
            </p>
          )}
        </Step>
      );
    case 'scheduled':
      return <Step tone="calm" at={dueAt} title={failures > 0 ? 'To be tried again' : 'Due'} />;
    case 'waiting':
      return <Step tone="calm" at={dueAt} title="Waits for a free runner since" />;
    case 'succeeded':
      return <Step tone="good" at={finishedAt} title={`Succeeded at attempt ${attempt}`} />;
    case 'dead':
      return <Step tone="bad" at={finishedAt} title={deathWords(task)} />;
    case 'cancelled':
      return <Step tone="calm" at={finishedAt} title="Cancelled" />;
    case 'parked':
      return <Step tone="bad" at={finishedAt} title="Parked until live code can run it" />;
  }
}

/** A handler may give up while attempts are left. */
function deathWords({ attempt, retries }: TaskDetails): string {
  return attempt > retries ? 'Dead: no attempt is left' : 'Dead: it is not to be tried again';
}

function Step({
  tone,
  at,
  title,
  children,
}: {
  tone: Tone;
  at: number | undefined;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <li class={`step is-${tone}`}>
      <div class="step-head">
        <span class="step-title">{title}</span>
        {at !== undefined && (
          <span class="faint num">
            <Moment at={at} as="clock" />
          </span>
        )}
      </div>
      {children}
    </li>
  );
}

function ErrorView({ error: { name, message, stack }, isOpen }: { error: TaskError; isOpen: boolean }) {
  return (
    <div class="error">
      <p class="error-line mono">
        <strong>{name}</strong>: {message}
      </p>
      {stack && (
        <details open={isOpen}>
          <summary>Stack</summary>
          <pre tabIndex={0} role="group" aria-label="Stack">
            {stack}
          </pre>
        </details>
      )}
    </div>
  );
}
