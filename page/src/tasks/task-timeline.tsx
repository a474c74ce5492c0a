import type { ComponentChildren } from 'preact';
import type { TaskDetails, TaskError } from '../../../lib/dashboard/api.js';
import { usePage } from '../core/page-parts.js';
import { hasEnded } from '../core/state-words.js';
import { spanWords } from '../core/words.js';
import { Elapsed, Moment } from '../parts/moment.js';

type Tone = 'calm' | 'good' | 'bad' | 'busy';

/** The life of a task: from its enqueue, attempt by attempt, to its end or to what comes next. */
export function TaskTimeline({
  task,
  receivedAt,
  isGone,
}: {
  task: TaskDetails;
  receivedAt: number;
  isGone: boolean;
}) {
  const { errors } = task;
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
          <Step key={at} tone="bad" at={error.at} title={failureWords(error)}>
            <Run run={error} />
            <ErrorView error={error} isOpen={at === errors.length - 1} />
          </Step>
        ))}
        {isGone && !hasEnded(task) ? (
          <LastSeen task={task} receivedAt={receivedAt} />
        ) : (
          <Now task={task} receivedAt={receivedAt} />
        )}
      </ol>
    </section>
  );
}

/** Where it stands. */
function Now({ task, receivedAt }: { task: TaskDetails; receivedAt: number }) {
  const { state, attempt, startedAt, runningMs, dueAt, finishedAt, failures, runner } = task;
  switch (state) {
    case 'pending':
      return (
        <Step tone="busy" at={startedAt} title={`Attempt ${attempt} runs now`}>
          {runningMs !== undefined && (
            <p class="faint">
              for <Elapsed ms={runningMs} receivedAt={receivedAt} />
              <On runner={runner} />
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
      return (
        <Step tone="good" at={finishedAt} title={`Succeeded at attempt ${attempt}`}>
          <Run run={task.lastRun} />
        </Step>
      );
    case 'dead':
      return <Step tone="bad" at={finishedAt} title={deathWords(task)} />;
    case 'cancelled':
      return (
        <Step tone="calm" at={finishedAt} title="Cancelled">
          <Run run={task.lastRun} />
        </Step>
      );
    case 'parked':
      return (
        <Step tone="bad" at={finishedAt} title="Parked until live code can run it">
          <Run run={task.lastRun} />
        </Step>
      );
  }
}

/** Where it stood when it was last there. */
function LastSeen({ task, receivedAt }: { task: TaskDetails; receivedAt: number }) {
  const { aheadMs } = usePage();
  return (
    <Step tone="calm" at={receivedAt + aheadMs} title={`Last seen ${task.state}`}>
      <Run run={task} />
    </Step>
  );
}

/** When a run began, how long it took, and who had it. */
function Run({ run }: { run: Pick<TaskError, 'startedAt' | 'runMs' | 'runner'> | undefined }) {
  if (run?.startedAt === undefined) return null;
  const { startedAt, runMs, runner } = run;
  return (
    <p class="step-run faint">
      began <Moment at={startedAt} as="clock" />
      {runMs !== undefined && (
        <>
          , ran <span class="num">{spanWords(runMs)}</span>
        </>
      )}
      <On runner={runner} />
    </p>
  );
}

function On({ runner }: { runner: string | undefined }) {
  if (runner === undefined) return null;
  return (
    <>
      {' on '}
      <span class="mono">{runner}</span>
    </>
  );
}

/** Of an attempt whose process died nobody knows more than that its lease ended. */
function failureWords({ name, attempt }: TaskError): string {
  return `Attempt ${attempt} ${name === 'LeaseLostError' ? 'was lost' : 'failed'}`;
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
