import type { ComponentChildren } from 'preact';
import type { TaskDetails } from '../../../lib/dashboard/api.js';
import { hrefOf } from '../core/route.js';
import { spanWords } from '../core/words.js';
import { CopyButton } from '../parts/copy-button.js';
import { Elapsed, Moment } from '../parts/moment.js';
import { hrefOfTasks } from './task-view.js';

/** What is known of a task, in short. */
export function TaskFacts({ task, receivedAt }: { task: TaskDetails; receivedAt: number }) {
  const { queue, job, lock, scheduleId, slot, runner, traceId } = task;
  return (
    <aside class="card facts" aria-label="Facts">
      <dl>
        <Fact name="Queue">
          <a href={hrefOfTasks({ queue: [queue] })}>{queue}</a>
        </Fact>
        <Fact name="Job">
          <a href={hrefOfTasks({ job: [job] })}>{job}</a>
        </Fact>
        <Fact name="Attempt">
          <span class="num">
            {task.attempt} of {task.retries + 1}
          </span>
        </Fact>
        <Fact name="Failures">
          <span class="num">{task.failures}</span>
        </Fact>
        <Fact name="Priority">
          <span class="num">{task.priority}</span>
        </Fact>
        <Fact name="Enqueued">
          <Moment at={task.enqueuedAt} />
        </Fact>
        <Fact name="Due">
          <Moment at={task.dueAt} />
        </Fact>
        {task.startedAt !== undefined && (
          <Fact name="Started">
            <Moment at={task.startedAt} />
          </Fact>
        )}
        {task.runningMs !== undefined && (
          <Fact name="Running for">
            <Elapsed ms={task.runningMs} receivedAt={receivedAt} />
          </Fact>
        )}
        {task.waitedMs !== undefined && <Fact name="Waited">{spanWords(task.waitedMs)}</Fact>}
        {task.finishedAt !== undefined && (
          <Fact name="Ended">
            <Moment at={task.finishedAt} />
          </Fact>
        )}
        {task.keepMs !== undefined && <Fact name="Kept for">{spanWords(task.keepMs)}</Fact>}
        {task.expiresAt !== undefined && (
          <Fact name="Expires">
            <Moment at={task.expiresAt} />
          </Fact>
        )}
        {runner !== undefined && (
          <Fact name="Runner">
            <span class="mono">{runner}</span>
          </Fact>
        )}
        {task.leaseEndsAt !== undefined && (
          <Fact name="Lease ends">
            <Moment at={task.leaseEndsAt} />
          </Fact>
        )}
        {scheduleId !== undefined && (
          <Fact name="Schedule">
            <a href={hrefOf('schedule', { queue, id: scheduleId })}>{scheduleId}</a>
          </Fact>
        )}
        {slot !== undefined && (
          <Fact name="Slot">
            <Moment at={slot} as="clock" />
          </Fact>
        )}
        {traceId !== undefined && (
          <Fact name="Trace">
            <span class="mono">{traceId}</span> <CopyButton text={() => traceId} what="trace id" />
          </Fact>
        )}
      </dl>
      {lock && <LockFacts lock={lock} queue={queue} isOwn={lock.holder === task.id} />}
    </aside>
  );
}

function LockFacts({
  lock,
  queue,
  isOwn,
}: {
  lock: NonNullable<TaskDetails['lock']>;
  queue: string;
  isOwn: boolean;
}) {
  const { key, phase, onConflict, ttlMs, holder } = lock;
  return (
    <>
      <h2>Unique lock</h2>
      <dl>
        <Fact name="Phase">{phase}</Fact>
        <Fact name="On conflict">{onConflict}</Fact>
        {ttlMs !== undefined && <Fact name="Ends after">{spanWords(ttlMs)}</Fact>}
        <Fact name="Held by">
          {holder === undefined && <span class="faint">nobody</span>}
          {isOwn && 'this task'}
          {holder !== undefined && !isOwn && (
            <a class="mono" href={hrefOf('task', { queue, id: holder })}>
              {holder}
            </a>
          )}
        </Fact>
        <Fact name="Key">
          <span class="mono">{key}</span>
        </Fact>
      </dl>
    </>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
