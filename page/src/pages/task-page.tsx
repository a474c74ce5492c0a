import { useState } from 'preact/hooks';
import type { TaskDetails } from '../../../lib/dashboard/api.js';
import { useResource } from '../core/resource.js';
import { goTo, hrefOf } from '../core/route.js';
import { actionWords } from '../core/state-words.js';
import { ContentView } from '../parts/content-view.js';
import { CopyButton } from '../parts/copy-button.js';
import { Icon } from '../parts/icon.js';
import { ProgressBar } from '../parts/progress-bar.js';
import { StateBadge } from '../parts/state-badge.js';
import { Loaded } from '../parts/states.js';
import { ConfirmAct, type Intent } from '../tasks/confirm-act.js';
import { TaskFacts } from '../tasks/task-facts.js';
import { TaskLog } from '../tasks/task-log.js';
import { TaskTimeline } from '../tasks/task-timeline.js';

export function TaskPage({ query }: { query: URLSearchParams }) {
  const id = query.get('id') ?? '';
  const queue = query.get('queue') ?? undefined;
  const task = useResource<TaskDetails>('task', { queue, id }, queue);
  return (
    <>
      <a class="back" href={hrefOf('tasks', { queue })}>
        <Icon name="back" /> {queue === undefined ? 'Tasks' : `Tasks in ${queue}`}
      </a>
      {!task.data && <h1>Task</h1>}
      <Loaded of={task} what="the task">
        {(details) => <Details task={details} receivedAt={task.receivedAt} />}
      </Loaded>
    </>
  );
}

function Details({ task, receivedAt }: { task: TaskDetails; receivedAt: number }) {
  const { queue, id, job, state, progress, errors, lines, extra, result, reason } = task;
  const [intent, setIntent] = useState<Intent>();
  return (
    <>
      <div class="page-head">
        <div class="task-title">
          <h1>{job}</h1>
          <StateBadge state={state} isStopping={task.isCancelRequested} />
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
          <TaskTimeline task={task} receivedAt={receivedAt} errors={errors} />
          <ContentView title="Params" content={task.params} />
          {result && <ContentView title="Result" content={result} />}
          <TaskLog lines={lines} />
          {extra && <ContentView title="Also stored with it" content={extra} />}
        </div>
        <TaskFacts task={task} receivedAt={receivedAt} />
      </div>
      {intent && (
        <ConfirmAct
          intent={intent}
          onClose={(hasActed) => {
            setIntent(undefined);
            if (hasActed && intent.action === 'remove') goTo(hrefOf('tasks', { queue }));
          }}
        />
      )}
    </>
  );
}
