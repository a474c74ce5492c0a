import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  EnqueueAnswer,
  EnqueueChoices,
  EnqueueRequest,
  FieldError,
  JobForm,
  ParamsCheck,
} from '../../../lib/dashboard/api.js';
import { failureOf, type ApiFailure } from '../core/api-failure.js';
import { usePage } from '../core/page-parts.js';
import { useSettled } from '../core/settled.js';
import { EnqueueChoicesView } from './enqueue-choices.js';
import { EnqueueOutcome } from './enqueue-outcome.js';
import { ParamsEditor } from './params-editor.js';
import { holdsNotJson } from './value-controls.js';
import { CheckingContext } from './violations.js';

/** Asks for the params of a job, says beside each field what is wrong with it, and enqueues it. */
export function EnqueueForm({ job, form }: { job: string; form: JobForm }) {
  const { api, live } = usePage();
  const element = useRef<HTMLFormElement>(null);
  const [params, setParams] = useState<unknown>(form.fields ? {} : undefined);
  const [options, setOptions] = useState<EnqueueChoices>({});
  const [violations, setViolations] = useState<readonly FieldError[]>([]);
  const [ofOptions, setOfOptions] = useState<readonly FieldError[]>([]);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [wasSent, setSent] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const [answer, setAnswer] = useState<EnqueueAnswer>();
  useCheck(job, params, touched.size > 0 || wasSent, setViolations);

  const send = async () => {
    setSent(true);
    setAnswer(undefined);
    setFailure(undefined);
    setOfOptions([]);
    if (holdsNotJson(params)) return focusWrong(element.current);
    setBusy(true);
    try {
      const request: EnqueueRequest = { job, params, options };
      setAnswer(await api.post<EnqueueAnswer>('jobs/enqueue', request));
      live.lookNow();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === 'INVALID_PARAMS') setViolations(failure.violations);
      else if (failure.code === 'INVALID_REQUEST') setOfOptions(failure.violations);
      setFailure(failure);
      focusWrong(element.current);
    } finally {
      setBusy(false);
    }
  };

  const isShown = (path: string) => wasSent || touched.has(path);
  const touch = (path: string) => setTouched((touched) => new Set(touched).add(path));
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <CheckingContext.Provider value={{ violations, isShown, touch }}>
        <ParamsEditor form={form} value={params} onChange={setParams} />
      </CheckingContext.Provider>
      <details class="choices" open={ofOptions.length > 0 || undefined}>
        <summary>When, where and how often</summary>
        <EnqueueChoicesView value={options} onChange={setOptions} violations={ofOptions} />
      </details>
      {failure && (
        <p class="field-error" role="alert">
          {failure.code === 'INVALID_PARAMS'
            ? 'The params do not pass: see beside the fields.'
            : failure.message}
        </p>
      )}
      {answer && <EnqueueOutcome answer={answer} job={job} />}
      <button type="submit" class="button is-main" disabled={isBusy}>
        Enqueue {job}
      </button>
    </form>
  );
}

/** Lets the server look at the params whenever somebody has stopped typing. */
function useCheck(
  job: string,
  params: unknown,
  isWanted: boolean,
  onChecked: (violations: readonly FieldError[]) => void,
): void {
  const { api } = usePage();
  const settled = useSettled(params, 400);
  useEffect(() => {
    if (!isWanted || holdsNotJson(settled)) return;
    const leaving = new AbortController();
    api.post<ParamsCheck>('jobs/check', { job, params: settled }, leaving.signal).then(
      ({ violations }) => onChecked(violations),
      // Sending them will tell.
      () => undefined,
    );
    return () => leaving.abort();
  }, [api, job, settled, isWanted]);
}

function focusWrong(form: HTMLFormElement | null): void {
  // What is wrong is drawn first.
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
}
