import { useEffect, useRef, useState } from 'preact/hooks';
import type { TaskAction, Which } from '../../../lib/dashboard/api.js';
import { failureOf, type ApiFailure } from '../core/api-failure.js';
import { usePage } from '../core/page-parts.js';
import { actionWords } from '../core/state-words.js';
import { counted, many } from '../core/words.js';
import { Dialog } from '../parts/dialog.js';
import { act, actedWords, preview, seenIn, type Named } from './act-on-tasks.js';

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
  const [named, setNamed] = useState<Named>();
  const found = named?.count;
  const [soFar, setSoFar] = useState(0);
  const [failure, setFailure] = useState<ApiFailure>();
  const [acted, setActed] = useState<number>();
  const [isBusy, setBusy] = useState(false);
  const leaving = useRef(new AbortController());
  const { label, meaning } = actionWords[action];

  useEffect(() => {
    const { signal } = leaving.current;
    preview(api, action, which, signal, setSoFar).then(setNamed, (error) => {
      if (!signal.aborted) setFailure(failureOf(error));
    });
  }, []);

  // What is under way when somebody says Stop comes to its end later, in front of whatever is on view by then.
  const isClosed = useRef(false);
  const closeOnce = (hasActed: boolean) => {
    if (isClosed.current) return;
    isClosed.current = true;
    onClose(hasActed);
  };
  const go = async (named: Named) => {
    setBusy(true);
    setActed(0);
    setFailure(undefined);
    try {
      const { signal } = leaving.current;
      const sum = await act(api, action, which, named, signal, (so) => setActed(seenIn(so)));
      notices.say(actedWords(action, sum));
      live.lookNow();
      closeOnce(true);
    } catch (error) {
      const failure = failureOf(error);
      setFailure(failure);
      setBusy(false);
      live.lookNow();
      if (isClosed.current) notices.warn(failure.message);
    }
  };
  const close = () => {
    leaving.current.abort();
    closeOnce(isBusy || (acted ?? 0) > 0);
  };
  return (
    <Dialog title={titleOf(label, found)} onClose={close}>
      <p>
        {what && <>All {what}. </>}
        {found === 0 ? 'None is in a state in which this can be done.' : meaning}
      </p>
      {failure && (
        <p class="field-error" role="alert">
          {acted ? `${counted(acted)} of ${counted(found ?? acted)} dealt with, then: ` : ''}
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
          {counted(acted ?? 0)} of {counted(found)} dealt with …
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
          onClick={() => named && void go(named)}
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
