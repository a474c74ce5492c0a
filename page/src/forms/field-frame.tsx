import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ParamsField, ParamsValue } from '../../../lib/dashboard/api.js';
import { counted } from '../core/words.js';
import { useChecking, violationsAt } from './violations.js';

/** What a control needs to be read out with its label and with what is wrong. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
  readonly 'aria-required'?: true;
  readonly onBlur: () => void;
}

/** A label, a control, and beside it what is asked and what is wrong. */
export function FieldFrame({
  path,
  field,
  label = path,
  children,
}: {
  path: string;
  field: ParamsValue & Partial<Pick<ParamsField, 'required' | 'default'>>;
  label?: string;
  children: (props: ControlProps) => ComponentChildren;
}) {
  const id = useId();
  const { violations, isShown, touch } = useChecking();
  const wrong = isShown(path) ? violationsAt(violations, path) : [];
  const hint = hintFor(field);
  const described = [hint && `${id}-hint`, wrong.length > 0 && `${id}-wrong`].filter(Boolean).join(' ');
  return (
    <div class={wrong.length > 0 ? 'field is-wrong' : 'field'}>
      <label for={id}>
        {label}
        {field.required && <span class="faint"> required</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': wrong.length > 0 || undefined,
        'aria-required': field.required || undefined,
        onBlur: () => touch(path),
      })}
      {hint && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      {wrong.length > 0 && (
        <ul id={`${id}-wrong`} class="field-error">
          {wrong.map(({ message }, at) => (
            <li key={at}>{message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What is asked, in a line. */
function hintFor(field: ParamsValue & { default?: unknown }): string {
  const { type, description, constraints = {}, default: without } = field;
  const { minimum, maximum, minLength, maxLength, format, pattern, multipleOf } = constraints;
  const kind = {
    bigint: 'a whole number of any size',
    integer: 'a whole number',
    date: 'a moment in your zone',
  };
  return [
    description,
    type in kind && kind[type as keyof typeof kind],
    format,
    minimum !== undefined && `at least ${counted(minimum)}`,
    maximum !== undefined && `at most ${counted(maximum)}`,
    constraints.exclusiveMinimum !== undefined && `more than ${constraints.exclusiveMinimum}`,
    constraints.exclusiveMaximum !== undefined && `less than ${constraints.exclusiveMaximum}`,
    multipleOf !== undefined && `a multiple of ${multipleOf}`,
    minLength !== undefined && minLength > 0 && `at least ${minLength} letters`,
    maxLength !== undefined && `at most ${maxLength} letters`,
    pattern !== undefined && `like ${pattern}`,
    without !== undefined && `left out: ${JSON.stringify(without)}`,
    field.nullable && 'may be null',
  ]
    .filter(Boolean)
    .join(' · ');
}
