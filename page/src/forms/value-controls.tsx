import { useState } from 'preact/hooks';
import type { ParamsValue } from '../../../lib/dashboard/api.js';
import { localText } from '../tasks/task-filters.js';
import type { ControlProps } from './field-frame.js';

/** Stands in a draft for text that is no JSON, and keeps it: a control that is drawn anew shows it again. */
class NotJson {
  constructor(
    readonly text: string,
    readonly why: string,
  ) {}
}

export interface ValueProps {
  readonly control: ControlProps;
  readonly value: unknown;
  /** Undefined: it is left out. */
  readonly onChange: (value: unknown) => void;
}

/** Empty text is sent where there has to be one, and else left out. */
export function TextControl({
  control,
  value,
  onChange,
  isRequired,
  isLong,
}: ValueProps & { isRequired: boolean; isLong: boolean }) {
  const text = typeof value === 'string' ? value : '';
  const take = (text: string) => onChange(text === '' && !isRequired ? undefined : text);
  if (isLong)
    return (
      <textarea {...control} rows={4} value={text} onInput={(event) => take(event.currentTarget.value)} />
    );
  return (
    <input
      {...control}
      type="text"
      value={text}
      autoComplete="off"
      onInput={(event) => take(event.currentTarget.value)}
    />
  );
}

/** What is no number is sent as it was typed: the server says what it thinks of it. */
export function NumberControl({ control, value, onChange }: ValueProps) {
  const [typed, type] = useState(typeof value === 'number' || typeof value === 'string' ? String(value) : '');
  const take = (text: string) => {
    type(text);
    const number = Number(text);
    onChange(text.trim() === '' ? undefined : Number.isFinite(number) ? number : text);
  };
  return (
    <input
      {...control}
      type="text"
      inputMode="decimal"
      autoComplete="off"
      value={typed}
      onInput={(event) => take(event.currentTarget.value)}
    />
  );
}

export function ChoiceControl({
  control,
  value,
  onChange,
  values,
}: ValueProps & { values: readonly unknown[] }) {
  const texts = values.map((each) => JSON.stringify(each));
  return (
    <select
      {...control}
      value={texts.indexOf(JSON.stringify(value))}
      onChange={(event) => onChange(values[Number(event.currentTarget.value)])}
    >
      <option value={-1}>–</option>
      {values.map((each, at) => (
        <option key={at} value={at}>
          {typeof each === 'string' ? each : texts[at]}
        </option>
      ))}
    </select>
  );
}

export function DateControl({ control, value, onChange }: ValueProps) {
  const at = typeof value === 'string' ? new Date(value).getTime() : Number.NaN;
  const take = (text: string) => {
    const date = new Date(text);
    onChange(Number.isNaN(date.getTime()) ? undefined : date.toISOString());
  };
  return (
    <input
      {...control}
      type="datetime-local"
      step="1"
      value={Number.isNaN(at) ? '' : localText(at)}
      onChange={(event) => take(event.currentTarget.value)}
    />
  );
}

/** Any JSON. What is none is shown to be none, and not sent. */
export function JsonControl({ control, value, onChange, rows = 4 }: ValueProps & { rows?: number }) {
  const [typed, type] = useState(() => textOf(value));
  const wrong = value instanceof NotJson ? value.why : '';
  const take = (text: string) => {
    type(text);
    try {
      onChange(text.trim() === '' ? undefined : JSON.parse(text));
    } catch (error) {
      onChange(new NotJson(text, error instanceof Error ? error.message : 'This is no JSON.'));
    }
  };
  const wrongId = `${control.id}-json`;
  return (
    <>
      <textarea
        {...control}
        class="mono"
        rows={rows}
        spellcheck={false}
        value={typed}
        aria-invalid={wrong ? true : control['aria-invalid']}
        aria-describedby={
          [control['aria-describedby'], wrong && wrongId].filter(Boolean).join(' ') || undefined
        }
        onInput={(event) => take(event.currentTarget.value)}
      />
      {wrong && (
        <p id={wrongId} class="field-error">
          {wrong}
        </p>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  if (value instanceof NotJson) return value.text;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

export function holdsNotJson(value: unknown): boolean {
  if (value instanceof NotJson) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNotJson);
}

export function isLongText({ constraints }: ParamsValue): boolean {
  return (constraints?.maxLength ?? 0) > 200;
}
