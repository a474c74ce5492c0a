import { useState } from 'preact/hooks';
import type {
  ScheduleActed,
  ScheduleActRequest,
  ScheduleDetails,
  SlotOutcome,
} from '../../../lib/dashboard/api.js';
import { useMay, usePage } from '../core/page-parts.js';
import { useResource } from '../core/resource.js';
import { goTo, hrefOf } from '../core/route.js';
import { useTitle } from '../core/title.js';
import { counted } from '../core/words.js';
import { ActButton } from '../parts/act-button.js';
import { ContentView } from '../parts/content-view.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { Moment } from '../parts/moment.js';
import { ScheduleButtons, wordsFor } from '../parts/schedule-buttons.js';
import { Loaded } from '../parts/states.js';
import { Fact } from '../tasks/task-facts.js';
import { hrefOfTasks } from '../tasks/task-view.js';

export function SchedulePage({ query }: { query: URLSearchParams }) {
  const [queue, id] = [query.get('queue') ?? '', query.get('id') ?? ''];
  const schedule = useResource<ScheduleDetails>('schedule', { queue, id }, { queue });
  useTitle(`Schedule ${schedule.data?.job ?? id}`);
  return (
    <>
      <a class="back" href={hrefOf('schedules')}>
        <Icon name="back" /> Schedules
      </a>
      {!schedule.data && <h1>Schedule</h1>}
      <Loaded of={schedule} what="the schedule">
        {(details) => <Details schedule={details} />}
      </Loaded>
    </>
  );
}

function Details({ schedule }: { schedule: ScheduleDetails }) {
  const mayOperate = useMay('operate');
  const [isRemoving, setRemoving] = useState(false);
  const { job, words, rule, isPaused } = schedule;
  return (
    <>
      <div class="page-head">
        <div class="task-title">
          <h1>{job}</h1>
          {isPaused && <span class="badge is-paused">paused</span>}
          <p class="rule">{words ?? rule ?? 'a rule that this version cannot read'}</p>
        </div>
        {mayOperate && (
          <div class="page-head-side">
            <ScheduleButtons schedule={schedule} />
            <button type="button" class="button" onClick={() => setRemoving(true)}>
              Remove
            </button>
          </div>
        )}
      </div>
      <div class="columns">
        <div class="column-main">
          <NextSlots schedule={schedule} />
          <LastSlots schedule={schedule} />
          <ContentView title="Params" content={schedule.params} />
        </div>
        <Facts schedule={schedule} />
      </div>
      {isRemoving && <RemoveDialog schedule={schedule} onClose={() => setRemoving(false)} />}
    </>
  );
}

function NextSlots({ schedule: { nextSlots, isPaused } }: { schedule: ScheduleDetails }) {
  return (
    <section class="card" aria-labelledby="next">
      <header class="card-head">
        <h2 id="next">Next slots</h2>
        {isPaused && <span class="faint">were it not paused</span>}
      </header>
      <ol class="slots-list">
        {nextSlots.map((slot) => (
          <li key={slot}>
            <span class="num">
              <Moment at={slot} as="clock" />
            </span>
            <span class="faint num">
              <Moment at={slot} />
            </span>
          </li>
        ))}
      </ol>
      {nextSlots.length === 0 && <p class="card-body faint">There is none: it has come to its end.</p>}
    </section>
  );
}

const outcomeTone: Record<SlotOutcome['outcome'], string> = {
  succeeded: 'succeeded',
  failed: 'dead',
  dead: 'dead',
  lost: 'dead',
  cancelled: 'cancelled',
};

function LastSlots({ schedule: { lastSlots, queue } }: { schedule: ScheduleDetails }) {
  return (
    <section class="card" aria-labelledby="last">
      <header class="card-head">
        <h2 id="last">Last slots</h2>
      </header>
      <ol class="slots-list">
        {lastSlots.map(({ slot, task, outcome }) => (
          <li key={slot}>
            <span class="num">
              <Moment at={slot} as="clock" />
            </span>
            <span class="faint num">
              <Moment at={slot} />
            </span>
            <span class={`badge is-${outcomeTone[outcome]}`}>{outcome}</span>
            <a class="mono cut" href={hrefOf('task', { queue, id: task })}>
              {task}
            </a>
          </li>
        ))}
      </ol>
      {lastSlots.length === 0 && <p class="card-body faint">No task of a slot has ended yet.</p>}
    </section>
  );
}

function Facts({ schedule }: { schedule: ScheduleDetails }) {
  const { queue, id, job, rule, timeZone, missed, overlap } = schedule;
  return (
    <aside class="card facts" aria-label="Facts">
      <dl>
        {rule !== undefined && (
          <Fact name="Rule">
            <span class="mono">{rule}</span>
          </Fact>
        )}
        {timeZone !== undefined && <Fact name="Zone">{timeZone}</Fact>}
        <Fact name="Queue">
          <a href={hrefOfTasks({ queue: [queue] })}>{queue}</a>
        </Fact>
        <Fact name="Job">
          <a href={hrefOfTasks({ job: [job] })}>{job}</a>
        </Fact>
        <Fact name="Id">
          <span class="mono">{id}</span>
        </Fact>
        <Fact name="Made by">{schedule.isDeclared ? 'a decorator in code' : 'a call'}</Fact>
        {missed !== undefined && <Fact name="Missed slots">{missed}</Fact>}
        {overlap !== undefined && <Fact name="Overlap">{overlap}</Fact>}
        <Fact name="First slot">
          <Moment at={schedule.firstSlot} />
        </Fact>
        <Fact name="Last slot">
          <Moment at={schedule.lastSlot} />
        </Fact>
        <Fact name="Fired">
          <span class="num">{counted(schedule.fired)}</span>
        </Fact>
        <Fact name="Passed over">
          <span class="num">{counted(schedule.skipped)}</span>
        </Fact>
        {schedule.lastTask !== undefined && (
          <Fact name="Last task">
            <a class="mono" href={hrefOf('task', { queue, id: schedule.lastTask })}>
              {schedule.lastTask}
            </a>
          </Fact>
        )}
      </dl>
    </aside>
  );
}

function RemoveDialog({
  schedule: { queue, id, job, isDeclared },
  onClose,
}: {
  schedule: ScheduleDetails;
  onClose: () => void;
}) {
  const { api, notices } = usePage();
  const remove = async () => {
    const request: ScheduleActRequest = { action: 'remove', queue, id };
    const { outcome } = await api.post<ScheduleActed>('schedules/act', request);
    notices.say(wordsFor('remove', outcome, job));
    onClose();
    goTo(hrefOf('schedules'));
  };
  return (
    <Dialog title={`Remove this schedule of ${job}?`} onClose={onClose}>
      <p>
        No further slot makes a task. Tasks that it has made stay.
        {isDeclared &&
          ' It stands in code: it is back when a process that declares it starts. Pause it instead to keep it still.'}
      </p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={onClose}>
          Keep it
        </button>
        <ActButton act={remove} kind="is-danger">
          Remove 1 schedule
        </ActButton>
      </div>
    </Dialog>
  );
}
