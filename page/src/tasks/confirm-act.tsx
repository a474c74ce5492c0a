import { useEffect, useRef, useState } from 'preact/hooks';
import type { TaskAction, Which } from '../../../lib/dashboard/api.js';
import { failureOf, type ApiFailure } from '../core/api-failure.js';
import { usePage } from '../core/page-parts.js';
import { actionWords } from '../core/state-words.js';
import { counted, many } from '../core/words.js';
import { Dialog } from '../parts/dialog.js';
import { act, actedWords, preview } from './act-on-tasks.js';

export interface Intent {
  readonly action: TaskAction;
  readonly which: Which;
  /** What they are, where a filter names them: `dead tasks of SendWelcome`. */
  readonly what?: string;
}

/** Names the number before anything happens, and what became of them after. */
export function ConfirmAct({ intent, onClose }: { intent: Intent; onClose: (hasActed: boolean) => void }) {
  const { api, notices, live } = usePage();
  const { action, which, what } = intent;
  const [found, setFound] = useState<number>();
  const [soFar, setSoFar] = useState(0);
  const [failure, setFailure] = useState<ApiFailure>();
  const [acted, setActed] = useState<number>();
  const leaving = useRef(new AbortController());
  const { label, meaning } = actionWords[action];

  useEffect(() => {
    const { signal } = leaving.current;
    preview(api, action, which, signal, setSoFar).then(setFound, (error) => {
      if (!signal.aborted) setFailure(failureOf(error));
    });
  }, []);

  const isBusy = acted !== undefined;
  const go = async () => {
    setActed(0);
    try {
      const sum = await act(
        api,
        action,
        which,
        leaving.current.signal,
        ({ done, requested, left, taken, missing }) => setActed(done + requested + left + taken + missing),
      );
      notices.say(actedWords(action, sum));
      live.lookNow();
      onClose(true);
    } catch (error) {
      setFailure(failureOf(error));
      setActed(undefined);
    }
  };
  const close = () => {
    leaving.current.abort();
    onClose(isBusy);
  };
  return (
    <Dialog title={titleOf(label, found)} onClose={close}>
      <p>
        {what && <>All {what}. </>}
        {found === 0 ? 'None is in a state in which this can be done.' : meaning}
      </p>
      {failure && (
        <p class="field-error" role="alert">
          {failure.message}
        </p>
      )}
      {found === undefined && soFar > 0 && (
        <p role="status" class="num">
          {many(soFar, 'task')} counted so far …
        </p>
      )}
      {isBusy && found && (
        <p role="status" class="num">
          {counted(acted)} of {counted(found)} dealt with …
        </p>
      )}
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={close}>
          {isBusy ? 'Stop' : 'Keep as they are'}
        </button>
        <button
          type="button"
          class={action === 'remove' || action === 'cancel' ? 'button is-danger' : 'button is-main'}
          disabled={!found || isBusy}
          onClick={() => void go()}
        >
          {found === undefined ? label : `${label} ${many(found, 'task')}`}
        </button>
      </div>
    </Dialog>
  );
}

function titleOf(label: string, found: number | undefined): string {
  return found === undefined ? `${label} …` : `${label} ${many(found, 'task')}?`;
}
