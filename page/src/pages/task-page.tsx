import { useState } from 'preact/hooks';
import type { TaskDetails } from '../../../lib/dashboard/api.js';
import { usePage } from '../core/page-parts.js';
import { useResource } from '../core/resource.js';
import { goTo, hrefOf } from '../core/route.js';
import { useTitle } from '../core/title.js';
import { actionWords } from '../core/state-words.js';
import { Boundary } from '../parts/boundary.js';
import { ContentView } from '../parts/content-view.js';
import { CopyButton } from '../parts/copy-button.js';
import { Icon } from '../parts/icon.js';
import { ProgressBar } from '../parts/progress-bar.js';
import { StateBadge } from '../parts/state-badge.js';
import { Loaded } from '../parts/states.js';
import { ConfirmAct, type Intent } from '../tasks/confirm-act.js';
import { GoneTask, stilled } from '../tasks/gone-task.js';
import { TaskFacts } from '../tasks/task-facts.js';
import { TaskLog } from '../tasks/task-log.js';
import { TaskTimeline } from '../tasks/task-timeline.js';

export function TaskPage({ query }: { query: URLSearchParams }) {
  const id = query.get('id') ?? '';
  const queue = query.get('queue') ?? undefined;
  const { places } = usePage();
  const task = useResource<TaskDetails>('task', { queue, id }, { queue });
  const { last, receivedAt } = task;
  useTitle(`${(task.data ?? last)?.job ?? 'Task'} ${id}`);
  return (
    <>
      <a class="back" href={places.tasksHref ?? hrefOf('tasks', { queue })}>
        <Icon name="back" /> {queue === undefined || places.tasksHref ? 'Tasks' : `Tasks in ${queue}`}
      </a>
      {!task.data && !last && <h1>Task</h1>}
      {last ? (
        <Details task={stilled(last)} receivedAt={receivedAt} isGone />
      ) : (
        <Loaded of={task} what="the task">
          {(details) => <Details task={details} receivedAt={receivedAt} />}
        </Loaded>
      )}
    </>
  );
}

function Details({
  task,
  receivedAt,
  isGone = false,
}: {
  task: TaskDetails;
  receivedAt: number;
  isGone?: boolean;
}) {
  const { queue, id, job, state, progress, lines, extra, result, reason } = task;
  const { places } = usePage();
  const [intent, setIntent] = useState<Intent>();
  return (
    <>
      <div class="page-head">
        <div class="task-title">
          <h1>{job}</h1>
          {isGone ? (
            <span class="badge">gone</span>
          ) : (
            <StateBadge state={state} isStopping={task.isCancelRequested} />
          )}
          <p class="task-id">
            <span class="mono faint">{id}</span>
            <CopyButton text={() => id} what="id" />
          </p>
        </div>
        <div class="page-head-side">
          {task.actions.map((action) => (
            <button
              key={action}
              type="button"
              class={action === 'retry' || action === 'runNow' ? 'button is-main' : 'button'}
              onClick={() => setIntent({ action, which: { refs: [{ queue, id }] } })}
            >
              {actionWords[action].label}
            </button>
          ))}
        </div>
      </div>
      {isGone && <GoneTask task={task} />}
      {reason && (
        <p class="reason">
          {state === 'parked' ? 'Parked' : 'Ended'}: <span class="mono">{reason}</span>
        </p>
      )}
      {progress && state !== 'succeeded' && (
        <div class="task-progress">
          <ProgressBar progress={progress} of={job} />
          {progress.note && <span class="faint">{progress.note}</span>}
        </div>
      )}
      <div class="columns">
        <div class="column-main">
          <Boundary what="Timeline">
            <TaskTimeline task={task} receivedAt={receivedAt} isGone={isGone} />
          </Boundary>
          <ContentView title="Params" content={task.params} />
          {result && <ContentView title="Result" content={result} />}
          <Boundary what="Log">
            <TaskLog lines={lines} />
          </Boundary>
          {extra && <ContentView title="Also stored with it" content={extra} />}
        </div>
        <Boundary what="Facts">
          <TaskFacts task={task} receivedAt={receivedAt} />
        </Boundary>
      </div>
      {intent && (
        <ConfirmAct
          intent={intent}
          onClose={(hasActed) => {
            setIntent(undefined);
            if (hasActed && intent.action === 'remove') goTo(places.tasksHref ?? hrefOf('tasks', { queue }));
          }}
        />
      )}
    </>
  );
}
