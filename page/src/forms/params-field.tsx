import type { ComponentChildren } from 'preact';
import type { ParamsField, ParamsValue } from '../../../lib/dashboard/api.js';
import { Icon } from '../parts/icon.js';
import { FieldFrame } from './field-frame.js';
import {
  ChoiceControl,
  DateControl,
  isLongText,
  JsonControl,
  NumberControl,
  TextControl,
  type ValueProps,
} from './value-controls.js';
import { joined, useChecking, violationsAt } from './violations.js';
import { withPart } from './with-part.js';

interface Props {
  readonly path: string;
  readonly label: string;
  readonly field: ParamsValue & Partial<Pick<ParamsField, 'required' | 'default'>>;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A field of the params, whatever it is made of. */
export function ParamsFieldView(props: Props) {
  const { field } = props;
  if (field.type === 'object' && field.fields) return <ObjectField {...props} fields={field.fields} />;
  if (field.type === 'array' && field.items) return <ListField {...props} items={field.items} />;
  return (
    <FieldFrame path={props.path} field={field} label={props.label}>
      {(control) => controlFor(field, { control, value: props.value, onChange: props.onChange })}
    </FieldFrame>
  );
}

function controlFor(field: Props['field'], props: ValueProps): ComponentChildren {
  if (field.values) return <ChoiceControl {...props} values={field.values} />;
  switch (field.type) {
    case 'string':
    case 'bigint':
      return <TextControl {...props} isRequired={field.required ?? false} isLong={isLongText(field)} />;
    case 'number':
    case 'integer':
      return <NumberControl {...props} />;
    case 'boolean':
      return <ChoiceControl {...props} values={[true, false]} />;
    case 'date':
      return <DateControl {...props} />;
    default:
      return <JsonControl {...props} />;
  }
}

/** The fields of an object, changed one at a time; one that is left out is not in it. */
export function Fields({
  path,
  fields,
  value,
  onChange,
}: {
  path: string;
  fields: readonly ParamsField[];
  value: unknown;
  onChange: (value: Record<string, unknown>) => void;
}) {
  const held = isRecord(value) ? value : {};
  return (
    <>
      {fields.map((field) => (
        <ParamsFieldView
          key={field.name}
          path={joined(path, field.name)}
          label={field.name}
          field={field}
          value={Object.hasOwn(held, field.name) ? held[field.name] : undefined}
          onChange={(part) => onChange(withPart(held, field.name, part))}
        />
      ))}
    </>
  );
}

function ObjectField({
  path,
  label,
  field,
  fields,
  value,
  onChange,
}: Props & { fields: readonly ParamsField[] }) {
  const isThere = value !== undefined && value !== null;
  return (
    <fieldset class="group-field">
      <legend>{label}</legend>
      {field.description && <p class="field-hint">{field.description}</p>}
      {!field.required && !isThere ? (
        <button type="button" class="button is-small" onClick={() => onChange({})}>
          <Icon name="plus" /> Give {label}
        </button>
      ) : (
        <Fields path={path} fields={fields} value={value} onChange={onChange} />
      )}
      {!field.required && isThere && (
        <button type="button" class="button is-small is-quiet" onClick={() => onChange(undefined)}>
          Leave {label} out
        </button>
      )}
      <Wrong path={path} children={fields.map(({ name }) => name)} />
    </fieldset>
  );
}

function ListField({ path, label, field, items, value, onChange }: Props & { items: ParamsValue }) {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const put = (next: readonly unknown[]) => onChange(next.length === 0 && !field.required ? undefined : next);
  return (
    <fieldset class="group-field">
      <legend>
        {label}
        {field.required && <span class="faint"> required</span>}
      </legend>
      {field.description && <p class="field-hint">{field.description}</p>}
      {list.map((item, at) => (
        // An item that goes takes the typed text of those behind it along only where keys are positions of that length.
        <div class="list-item" key={`${list.length} ${at}`}>
          <ParamsFieldView
            path={joined(path, at)}
            label={`${label} ${at + 1}`}
            field={{ ...items, required: true }}
            value={item}
            onChange={(changed) => put(list.with(at, changed ?? null))}
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${label} ${at + 1}`}
            onClick={() => put(list.toSpliced(at, 1))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <button type="button" class="button is-small" onClick={() => put([...list, firstOf(items)])}>
        <Icon name="plus" /> Add to {label}
      </button>
      <Wrong path={path} children={list.map((_, at) => String(at))} />
    </fieldset>
  );
}

/** What is wrong with the whole rather than with a field of it. */
export function Wrong({ path, children }: { path: string; children: readonly string[] }) {
  const { violations, isShown } = useChecking();
  const wrong = isShown(path) ? violationsAt(violations, path, children) : [];
  if (wrong.length === 0) return null;
  return (
    <ul class="field-error">
      {wrong.map(({ message }, at) => (
        <li key={at}>{message}</li>
      ))}
    </ul>
  );
}

function firstOf({ type, values }: ParamsValue): unknown {
  if (values) return values[0];
  if (type === 'object') return {};
  if (type === 'array') return [];
  return type === 'string' || type === 'bigint' ? '' : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
