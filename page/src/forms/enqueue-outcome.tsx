import type { EnqueueAnswer } from '../../../lib/dashboard/api.js';
import { hrefOf } from '../core/route.js';

export function EnqueueOutcome({
  answer: { status, queue, id, holder },
  job,
}: {
  answer: EnqueueAnswer;
  job: string;
}) {
  const link = (id: string) => (
    <a class="mono" href={hrefOf('task', { queue, id })}>
      {id}
    </a>
  );
  const isDone = status === 'enqueued' || status === 'replaced';
  return (
    <p class={isDone ? 'outcome is-good' : 'outcome'} role="status">
      {isDone && <>A task of {job} is enqueued: </>}
      {status === 'existing' && <>A task of this id was there already, and was left as it is: </>}
      {status === 'rejected' && <>Another task holds the unique lock, so none was made: </>}
      {status === 'vetoed' ? <>A hook of the application said no: none was made.</> : link(holder ?? id)}
    </p>
  );
}
