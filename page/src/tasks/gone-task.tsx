import type { TaskDetails } from '../../../lib/dashboard/api.js';
import { hasEnded } from '../core/state-words.js';

/** Why there is no more to see of a task that was on view: most are not kept after success. */
export function GoneTask({ task }: { task: TaskDetails }) {
  const wasKept = Boolean(task.keepMs) || hasEnded(task);
  return (
    <div class="gone" role="status">
      <p>
        <strong>This task has finished and is {wasKept ? 'no longer' : 'not'} kept</strong>, unless somebody
        removed it. What was last known of it is still on view here.
      </p>
      {!wasKept && (
        <p class="faint">
          With <code>keep</code>, of the job or of the enqueue, a task stays readable after it has succeeded.
        </p>
      )}
    </div>
  );
}

/** A task as it was last known: nothing about it goes on, and nothing can be done with it. */
export function stilled(task: TaskDetails): TaskDetails {
  return { ...task, runningMs: undefined, leaseEndsAt: undefined, isCancelRequested: false, actions: [] };
}
