import { useState } from 'preact/hooks';
import type { QueueActRequest, QueueRow } from '../../../lib/dashboard/api.js';
import { useOverview } from '../core/overview.js';
import { useMay, usePage } from '../core/page-parts.js';
import { hrefOf, showAs } from '../core/route.js';
import { ActButton } from '../parts/act-button.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { PageHead } from '../parts/page-head.js';
import { QueueTable } from '../parts/queue-table.js';
import { SpanSwitch, type ChartSpan } from '../parts/span-switch.js';
import { Empty, Loaded } from '../parts/states.js';
import { TroubleList } from '../parts/trouble-list.js';

const minuteMs = 60_000;
const pauses = [
  { forMs: undefined, words: 'until it is resumed' },
  { forMs: 15 * minuteMs, words: 'for 15 minutes' },
  { forMs: 60 * minuteMs, words: 'for an hour' },
  { forMs: 24 * 60 * minuteMs, words: 'for a day' },
];

export function QueuesPage({ query }: { query: URLSearchParams }) {
  const overview = useOverview();
  const mayOperate = useMay('operate');
  const [pausing, setPausing] = useState<QueueRow>();
  const span: ChartSpan = query.get('span') === 'day' ? 'day' : 'hour';
  return (
    <>
      <PageHead title="Queues">
        <SpanSwitch
          span={span}
          onChange={(span) => showAs(hrefOf('queues', { span: span === 'day' ? span : undefined }))}
        />
      </PageHead>
      <Loaded of={overview} what="the queues">
        {({ queues, troubles }) => (
          <>
            <TroubleList troubles={troubles.filter(({ queue }) => queue !== undefined)} />
            <section class="card">
              {queues.length > 0 ? (
                <QueueTable
                  queues={queues}
                  troubles={troubles}
                  span={span}
                  extra={
                    mayOperate ? (queue) => <PauseOrResume queue={queue} onPause={setPausing} /> : undefined
                  }
                />
              ) : (
                <Empty title="No queue is known yet.">
                  Enqueue a task, or start an application with a job.
                </Empty>
              )}
            </section>
          </>
        )}
      </Loaded>
      {pausing && <PauseDialog queue={pausing} onClose={() => setPausing(undefined)} />}
    </>
  );
}

function PauseOrResume({ queue, onPause }: { queue: QueueRow; onPause: (queue: QueueRow) => void }) {
  const { api, notices } = usePage();
  if (!queue.isPaused)
    return (
      <button
        type="button"
        class="button is-small"
        aria-label={`Pause ${queue.name}`}
        onClick={() => onPause(queue)}
      >
        <Icon name="pause" /> Pause
      </button>
    );
  const resume = async () => {
    await api.post('queues/act', { action: 'resume', queue: queue.name } satisfies QueueActRequest);
    notices.say(`${queue.name} goes on.`);
  };
  return (
    <ActButton act={resume} label={`Resume ${queue.name}`} kind="is-small is-main">
      <Icon name="play" /> Resume
    </ActButton>
  );
}

function PauseDialog({ queue: { name, counts }, onClose }: { queue: QueueRow; onClose: () => void }) {
  const { api, notices } = usePage();
  const [choice, choose] = useState(0);
  const { forMs, words } = pauses[choice]!;
  const pause = async () => {
    await api.post('queues/act', { action: 'pause', queue: name, forMs } satisfies QueueActRequest);
    notices.say(`${name} is paused ${words}.`);
    onClose();
  };
  return (
    <Dialog title={`Pause ${name}?`} onClose={onClose}>
      <p>
        Tasks can still be enqueued, and none of them starts: {counts.waiting} wait now. The {counts.pending}{' '}
        that run now go on to their end.
      </p>
      <label class="field">
        <span>How long</span>
        <select value={choice} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {pauses.map(({ words }, at) => (
            <option key={words} value={at}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={onClose}>
          Keep it running
        </button>
        <ActButton act={pause} kind="is-main">
          Pause {name}
        </ActButton>
      </div>
    </Dialog>
  );
}
