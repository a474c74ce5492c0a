import type {
  ScheduleAction,
  ScheduleActed,
  ScheduleActRequest,
  ScheduleRow,
} from '../../../lib/dashboard/api.js';
import { usePage } from '../core/page-parts.js';
import { hrefOf } from '../core/route.js';
import { ActButton } from './act-button.js';

/** Run now, pause and resume: nothing of it is lost, so nothing is asked. */
export function ScheduleButtons({ schedule, isSmall = false }: { schedule: ScheduleRow; isSmall?: boolean }) {
  const { api, notices } = usePage();
  const { queue, id, job, isPaused } = schedule;
  const does = (action: ScheduleAction) => async () => {
    const request: ScheduleActRequest = { action, queue, id };
    const { outcome, task } = await api.post<ScheduleActed>('schedules/act', request);
    notices.say(
      wordsFor(action, outcome, job),
      task && { href: hrefOf('task', { ...task }), text: 'Open the task' },
    );
  };
  const kind = isSmall ? 'is-small' : '';
  return (
    <span class="buttons">
      <ActButton act={does('run')} label={`Run now: ${job}`} kind={kind}>
        Run now
      </ActButton>
      {isPaused ? (
        <ActButton act={does('resume')} label={`Resume ${job}`} kind={`${kind} is-main`}>
          Resume
        </ActButton>
      ) : (
        <ActButton act={does('pause')} label={`Pause ${job}`} kind={kind}>
          Pause
        </ActButton>
      )}
    </span>
  );
}

export function wordsFor(action: ScheduleAction, outcome: ScheduleActed['outcome'], job: string): string {
  if (outcome === 'taken') return `Another task holds the lock of ${job}: none was made.`;
  if (outcome === 'left') return `${job} was so already.`;
  const done = {
    run: `A task of ${job} is enqueued.`,
    pause: `${job} is paused: no slot makes a task until it is resumed.`,
    resume: `${job} goes on with its next slot.`,
    remove: `The schedule of ${job} is removed.`,
  };
  return done[action];
}
